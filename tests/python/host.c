/* SPDX-License-Identifier: MIT */
/*
 * Programs that have an interpreter inside. How it gets there is said with -D:
 *
 *   HOST_MAIN     the interpreter's own main, as in a python3 that is linked to libpython
 *   HOST_EMBEDS   initialised, used and finalised ROUNDS times; runs the text in its first argument
 *   HOST_LOADS    libpython, named by the first argument, is loaded after the start; runs the text in the second
 */
#define _GNU_SOURCE

#if defined HOST_MAIN

#include <Python.h>

int main(int argc, char **argv)
{
    return Py_BytesMain(argc, argv);
}

#elif defined HOST_EMBEDS

#include <Python.h>

enum { ROUNDS = 3 };

int main(int argc, char **argv)
{
    if (argc < 2) {
        return 2;
    }
    for (int round = 0; round < ROUNDS; round++) {
        Py_Initialize();
        int failed = PyRun_SimpleString(argv[1]);
        if (Py_FinalizeEx() != 0 || failed) {
            return 1;
        }
    }
    return 0;
}

#elif defined HOST_LOADS

#include <dlfcn.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    void *library = argc < 3 ? NULL : dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        return 2;
    }
    void (*initialize)(void);
    int (*run)(const char *);
    int (*finalize)(void);
    *(void **)&initialize = dlsym(library, "Py_Initialize");
    *(void **)&run = dlsym(library, "PyRun_SimpleString");
    *(void **)&finalize = dlsym(library, "Py_FinalizeEx");
    initialize();
    int failed = run(argv[2]);
    return finalize() != 0 || failed;
}

#endif

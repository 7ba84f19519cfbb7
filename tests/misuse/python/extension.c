/* SPDX-License-Identifier: MIT */
/*
 * What an extension can do wrong, one function each; called through ctypes, with the interpreter lock held unless the
 * caller let it go. The interpreter's functions are declared here, so that no headers of its are needed.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

void *PyMem_Malloc(size_t size);
void *PyMem_Realloc(void *block, size_t size);
void PyMem_Free(void *block);
void *PyObject_Malloc(size_t size);
void *PyObject_Realloc(void *block, size_t size);
void PyObject_Free(void *block);
void *PyMem_RawMalloc(size_t size);
void PyMem_RawFree(void *block);

#define MISUSE __attribute__((visibility("default")))

/* Keeps the compiler from seeing that a pointer is misused. */
static char *hidden(void *pointer)
{
    char *volatile copy = pointer;
    return copy;
}

MISUSE void write_after(size_t size)
{
    char *block = PyMem_Malloc(size);
    hidden(block)[size] = 'A';
    PyMem_Free(block);
}

MISUSE void write_before(size_t size)
{
    char *block = PyObject_Malloc(size);
    hidden(block)[-1] = 'A';
    PyObject_Free(block);
}

MISUSE void write_after_raw(size_t size)
{
    char *block = PyMem_RawMalloc(size);
    hidden(block)[size] = 'A';
    PyMem_RawFree(block);
}

MISUSE void write_freed(size_t size)
{
    char *block = PyObject_Malloc(size);
    PyObject_Free(block);
    hidden(block)[0] = 'A';
}

MISUSE void write_stale(size_t size)
{
    char *block = PyMem_Malloc(size);
    char *stale = hidden(block);
    char *moved = PyMem_Realloc(block, size + 1);
    hidden(stale)[0] = 'A';
    PyMem_Free(moved);
}

MISUSE void free_twice(size_t size)
{
    char *block = PyMem_Malloc(size);
    char *again = hidden(block);
    PyMem_Free(block);
    PyMem_Free(again);
}

MISUSE void free_interior(size_t size)
{
    PyMem_Free(hidden(PyMem_Malloc(size)) + 8);
}

MISUSE void free_foreign(size_t size)
{
    PyMem_Free(hidden(malloc(size)));
}

MISUSE void free_foreign_obj(size_t size)
{
    PyObject_Free(hidden(malloc(size)));
}

MISUSE void realloc_foreign(size_t size)
{
    PyMem_Free(PyMem_Realloc(hidden(malloc(size)), size + 1));
}

MISUSE void realloc_freed(size_t size)
{
    char *block = PyObject_Malloc(size);
    char *stale = hidden(block);
    PyObject_Free(block);
    PyObject_Free(PyObject_Realloc(stale, size + 1));
}

/* So much that no place of the interpreter's own leaves more behind. */
MISUSE void leak(size_t size)
{
    for (size_t left = 1 << 20; left >= size; left -= size) {
        (void)hidden(PyMem_Malloc(size));
    }
}

MISUSE void wrong_domain(size_t size)
{
    PyObject_Free(PyMem_Malloc(size));
}

MISUSE void wrong_domain_raw(size_t size)
{
    PyMem_RawFree(PyObject_Malloc(size));
}

static void *allocate(void *size)
{
    PyMem_Free(PyMem_Malloc(*(size_t *)size));
    return NULL;
}

MISUSE void lock_not_held(size_t size)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, allocate, &size) == 0) {
        (void)pthread_join(thread, NULL);
    }
}

/* SPDX-License-Identifier: MIT */
/* The workloads, where their programs are, what one run of them reports, and what the seeds reported. */
#ifndef CUBBY_LAB_WORKLOAD_H
#define CUBBY_LAB_WORKLOAD_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* A place in an experiment's workloads: the seeds, of which there are WORKLOAD_COUNT, or the rows of a suite. */
typedef size_t workload_id_t;

enum { WORKLOAD_INTS, WORKLOAD_FLOATS, WORKLOAD_UNPICKLE_LIST, WORKLOAD_COUNT, WORKLOAD_MAX = 96 };

typedef struct workload {
    const char *name;
    const char *meaning;
    bool lists;           /* list buffers are its subject: Cubby is paired with the 2016 baseline as well */
    double round_seconds; /* one round under stock, roughly, for the time estimate; 0 when that is found out first */
    const char *file;     /* of a row: its program, which is told the row's name; NULL: a seed, in a file of its name */
} workload_t;

extern const workload_t workload_table[WORKLOAD_COUNT];

/* What one child reported. */
typedef struct sample {
    bool good;
    double cpu_seconds;
    double wall_seconds;
    long long peak_kib;
    long long after_kib; /* 0 unless the run was asked to settle */
    long long minor_faults;
    long long major_faults; /* of a row, while it was timed */
    json_t *raw;            /* the line itself; owned */
} sample_t;

/* One figure that a seed published. Empty text where the table has none. */
typedef struct figure {
    char workload[32];
    char year[8];
    char machine[64];
    char variant[48];
    double seconds;         /* 0: not given */
    double speedup_percent; /* 0: not given */
    char source[96];
} figure_t;

enum { FIGURE_MAX = 32 };

typedef struct figure_list {
    figure_t figures[FIGURE_MAX];
    size_t count;
} figure_list_t;

/* Selects workloads by a comma-separated list of names. False, with the first wrong name, when one is unknown. */
bool workloads_select(const char *list, bool selected[WORKLOAD_COUNT], char *wrong, size_t size);

/* A folder of lab/ with programs in it. */
typedef struct folder_spec {
    const char *name;     /* below lab/ */
    const char *file;     /* by which it is known */
    const char *variable; /* of the environment, that says where it is */
} folder_spec_t;

extern const folder_spec_t folder_of_seeds;

/*
 * Finds a folder: what the variable says if it is set, else beside the executable (in lab/, or in lab/ of the folder
 * above), else where it is installed. False with the folders that were tried.
 */
bool folder_find(const folder_spec_t *spec, const char *executable_folder, char *folder, size_t size, char *tried,
                 size_t tried_size);

/* Reads figures.csv of the seeds' folder. False with a reason when it is missing or damaged. */
bool figures_read(const char *folder, figure_list_t *list, char *reason, size_t size);

/*
 * Reads the line that a run of the workload printed. False with a reason when it is not what that run should say:
 * another seed, another number of rounds, a figure that is missing or not positive, a preload that is not mapped.
 */
bool sample_read(const char *line, const workload_t *workload, int rounds, bool settled, bool preloads,
                 sample_t *sample, char *reason, size_t size);

#endif

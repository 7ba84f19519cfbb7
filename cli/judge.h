/* SPDX-License-Identifier: MIT */
/* What a program is to Cubby, judged by its file alone: nothing is run. */
#ifndef CUBBY_CLI_JUDGE_H
#define CUBBY_CLI_JUDGE_H

typedef enum judgement {
    JUDGED_PYTHON,       /* an interpreter that can be served */
    JUDGED_SHELL_SCRIPT, /* a script for a shell: it may well start Python (version managers do) */
    JUDGED_OTHER,        /* takes a preload, but is no Python */
    JUDGED_STATIC,       /* these three take no preload */
    JUDGED_FOREIGN,
    JUDGED_PRIVILEGED, /* set-user-id, set-group-id or with capabilities of its own */
    JUDGED_UNKNOWN,    /* cannot be read, or is none of the above */
} judgement_t;

/*
 * Judges the program at path. A script is judged by its interpreter, through `env` as well; a script of a script four
 * deep and no further.
 */
judgement_t program_judge(const char *path);

/* A sentence for people that follows the program's name; NULL where there is nothing to note. */
const char *judgement_note(judgement_t judgement);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Does nothing. Preloaded into a program that is measured as it is, beside others that preload an allocator, so that
 * all of them have one shared object more to load.
 */
extern const char lab_null;

const char lab_null = 0;

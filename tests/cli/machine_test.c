/* SPDX-License-Identifier: MIT */
/* What of a machine is said to make times worth little. */
#include "lab/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static machine_t quiet_machine(void)
{
    return (machine_t){.cores_online = 4,
                       .cores_allowed = 4,
                       .available_kib = 8 << 20,
                       .aslr = "2",
                       .governor = "performance",
                       .boost = "0",
                       .shared_cores = "0",
                       .load = {0.2, 3, 4},
                       .address_space_limit = -1};
}

/* The one warning that a machine must have, and that must say so. */
static void assert_warned(const machine_t *machine, const char *words)
{
    machine_warning_t warnings[MACHINE_WARNING_MAX];
    assert_int_equal(machine_warnings(machine, warnings), 1);
    if (strstr(warnings[0], words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", warnings[0], words);
    }
}

static void a_quiet_machine_has_no_warning(void **state)
{
    (void)state;
    machine_warning_t warnings[MACHINE_WARNING_MAX];
    machine_t machine = quiet_machine();
    assert_int_equal(machine_warnings(&machine, warnings), 0);
    machine.governor[0] = machine.boost[0] = machine.shared_cores[0] = machine.aslr[0] = '\0'; /* unreadable */
    assert_int_equal(machine_warnings(&machine, warnings), 0);
}

static void each_thing_that_spoils_times_is_said_by_itself(void **state)
{
    (void)state;
    machine_t machine = quiet_machine();
    machine.cores_allowed = 1;
    assert_warned(&machine, "only one core");
    machine = quiet_machine();
    machine.load[0] = 1.5;
    assert_warned(&machine, "load 1.50 on 4 cores");
    machine = quiet_machine();
    machine.stolen = 0.05;
    assert_warned(&machine, "5 %");
    machine = quiet_machine();
    machine.hypervisor = true;
    assert_warned(&machine, "virtual machine");
    machine = quiet_machine();
    strcpy(machine.governor, "powersave");
    assert_warned(&machine, "governor powersave");
    machine = quiet_machine();
    strcpy(machine.boost, "1");
    assert_warned(&machine, "boost");
    machine = quiet_machine();
    strcpy(machine.shared_cores, "1");
    assert_warned(&machine, "share a core");
    machine = quiet_machine();
    strcpy(machine.aslr, "0");
    assert_warned(&machine, "addresses are not random");
    machine = quiet_machine();
    machine.available_kib = 512 << 10;
    assert_warned(&machine, "only 512 MiB");
    machine = quiet_machine();
    machine.swap_used_kib = 4096;
    assert_warned(&machine, "4 MiB are swapped out");
    machine = quiet_machine();
    machine.address_space_limit = 1 << 30;
    assert_warned(&machine, "address space is limited");
}

static void all_of_them_at_once_are_all_said(void **state)
{
    (void)state;
    machine_warning_t warnings[MACHINE_WARNING_MAX];
    machine_t machine = {.cores_online = 1,
                         .cores_allowed = 1,
                         .aslr = "0",
                         .governor = "ondemand",
                         .boost = "1",
                         .shared_cores = "1",
                         .load = {9},
                         .stolen = 0.5,
                         .hypervisor = true,
                         .swap_used_kib = 1};
    assert_int_equal(machine_warnings(&machine, warnings), 11);
    assert_non_null(strstr(warnings[10], "address space"));
}

static void this_machine_is_described_in_json(void **state)
{
    (void)state;
    machine_t machine;
    machine_read(&machine);
    json_t *object = machine_to_json(&machine);
    assert_true(json_string_length(json_object_get(object, "kernel")) > 0);
    assert_true(json_integer_value(json_object_get(object, "memory_kib")) > 0);
    assert_int_equal(json_array_size(json_object_get(object, "load")), 3);
    assert_true(json_number_value(json_array_get(json_object_get(object, "load"), 0)) >= 0);
    double stolen = json_number_value(json_object_get(object, "stolen"));
    assert_true(stolen >= 0 && stolen <= 1);
    machine_warning_t warnings[MACHINE_WARNING_MAX];
    assert_int_equal(json_array_size(json_object_get(object, "warnings")), machine_warnings(&machine, warnings));
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_machine_has_no_warning),
        cmocka_unit_test(each_thing_that_spoils_times_is_said_by_itself),
        cmocka_unit_test(all_of_them_at_once_are_all_said),
        cmocka_unit_test(this_machine_is_described_in_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

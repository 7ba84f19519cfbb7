/* SPDX-License-Identifier: MIT */
#include "support/fake_os.h"
#include "support/test.h"

#include "check/record.h"

static cubby_heap_t *memory;
static check_heap_t owner;

static int records_start(void **state)
{
    (void)state;
    fake_install();
    memory = cubby_heap_create();
    owner = (check_heap_t){.front = NULL};
    return memory != NULL && records_begin(memory) ? 0 : -1;
}

static int records_stop(void **state)
{
    (void)state;
    records_end();
    cubby_heap_destroy(memory);
    span_reset();
    os = os_linux;
    return 0;
}

static void *address(size_t number)
{
    return (void *)(uintptr_t)(0x100000 + number * 16);
}

static void every_record_is_found_and_no_other(void **state)
{
    (void)state;
    enum { RECORDS = 30000 };
    for (size_t i = 0; i < RECORDS; i++) {
        check_record_t *record = record_add(&owner, address(i));
        assert_non_null(record);
        record->size = i;
    }
    assert_int_equal(owner.count, RECORDS);
    for (size_t i = 0; i < RECORDS; i++) {
        assert_int_equal(record_find(address(i))->size, i);
    }
    assert_null(record_find(address(RECORDS)));
    for (size_t i = 0; i < RECORDS; i += 2) {
        record_remove(record_find(address(i)));
    }
    for (size_t i = 0; i < RECORDS; i++) {
        assert_int_equal(record_find(address(i)) != NULL, i % 2);
    }
    assert_int_equal(owner.count, RECORDS / 2);
}

static void a_heaps_records_are_its_list(void **state)
{
    (void)state;
    check_heap_t other = {.front = NULL};
    for (size_t i = 0; i < 30; i++) {
        (void)record_add(i % 3 == 0 ? &other : &owner, address(i));
    }
    record_remove(record_find(address(3)));
    size_t length = 0;
    for (const check_record_t *record = other.first; record != NULL; record = record->next) {
        assert_ptr_equal(record->heap, &other);
        length++;
    }
    assert_int_equal(length, 9);
    assert_int_equal(other.count, 9);
}

static void an_address_in_a_block_or_its_guards_leads_to_it(void **state)
{
    (void)state;
    check_record_t *record = record_add(&owner, address(2));
    record->inner = address(0);
    record->size = 100;
    assert_ptr_equal(record_around(address(0)), record);
    assert_ptr_equal(record_around((char *)address(2) + 131), record);
    assert_null(record_around((char *)address(0) - 1));
    assert_null(record_around((char *)address(2) + 132));
}

static void without_memory_there_is_no_record_and_the_others_stay(void **state)
{
    (void)state;
    size_t count = 0;
    fake_refuse_all();
    while (record_add(&owner, address(count)) != NULL) {
        count++;
    }
    assert_int_equal(owner.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(record_find(address(i)));
    }
    assert_null(record_find(address(count)));
    fake_relent();
    assert_non_null(record_add(&owner, address(count)));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, records_start, records_stop)
    const struct CMUnitTest tests[] = {
        TEST(every_record_is_found_and_no_other),
        TEST(a_heaps_records_are_its_list),
        TEST(an_address_in_a_block_or_its_guards_leads_to_it),
        TEST(without_memory_there_is_no_record_and_the_others_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

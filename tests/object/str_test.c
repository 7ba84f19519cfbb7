/* SPDX-License-Identifier: MIT */
#include "support/object.h"

static uint64_t hash_in(cubby_runtime_t *own, const char *bytes, size_t size)
{
    uint64_t hash;
    cubby_object_t *str = cubby_str_new(own, bytes, size);
    assert_true(cubby_object_hash(own, str, &hash));
    cubby_object_release(own, str);
    return hash;
}

static void a_str_holds_any_bytes_and_a_zero_behind_them(void **state)
{
    (void)state;
    char bytes[256];
    for (int i = 0; i < 256; i++) {
        bytes[i] = (char)i;
    }
    for (size_t size = 0; size <= 256; size++) {
        cubby_object_t *str = cubby_str_new(runtime, bytes, size);
        assert_int_equal(cubby_str_size(str), size);
        assert_memory_equal(cubby_str_bytes(str), bytes, size);
        assert_int_equal(cubby_str_bytes(str)[size], '\0');
        assert_int_equal(cubby_object_bytes(str), sizeof(cubby_str_t) + size + 1);
        release(str);
    }
}

static void strs_are_equal_when_their_bytes_are(void **state)
{
    (void)state;
    cubby_object_t *one = cubby_str_new(runtime, "a\0b", 3), *twin = cubby_str_new(runtime, "a\0b", 3);
    cubby_object_t *other = cubby_str_new(runtime, "a\0c", 3), *shorter = cubby_str_new(runtime, "a", 1);
    cubby_object_t *number = int_of(1);
    assert_true(equals(one, twin));
    assert_false(equals(one, other));
    assert_false(equals(one, shorter));
    assert_false(equals(one, number));
    release(one);
    release(twin);
    release(other);
    release(shorter);
    release(number);
}

static void two_strs_are_joined(void **state)
{
    (void)state;
    cubby_object_t *left = str_of("ab"), *right = str_of("cde"), *joined = cubby_str_concat(runtime, left, right);
    assert_string_equal(cubby_str_bytes(joined), "abcde");
    cubby_object_t *number = int_of(1);
    assert_null(cubby_str_concat(runtime, left, number));
    assert_error(CUBBY_ERROR_TYPE, "cannot join str and int; both must be strs");
    release(left);
    release(right);
    release(joined);
    release(number);
}

static void a_str_is_shown_in_quotes_and_on_one_line(void **state)
{
    (void)state;
    assert_repr(str_of(""), "''");
    assert_repr(str_of("it's\n\ta \\ \r"), "'it\\'s\\n\\ta \\\\ \\r'");
    assert_repr(cubby_str_new(runtime, "\0\x7f\x1b", 3), "'\\x00\\x7f\\x1b'");
    assert_repr(str_of("gr\xc3\xbc\xc3\x9f"), "'gr\xc3\xbc\xc3\x9f'");
}

static void the_hash_depends_on_every_byte_and_on_the_size(void **state)
{
    (void)state;
    char bytes[40] = {0};
    for (size_t size = 0; size < sizeof bytes; size++) {
        uint64_t plain = hash_in(runtime, bytes, size);
        assert_int_equal(plain, hash_in(runtime, bytes, size));
        assert_int_not_equal(plain, hash_in(runtime, bytes, size + 1));
        for (size_t i = 0; i < size; i++) {
            bytes[i] = 1;
            assert_int_not_equal(plain, hash_in(runtime, bytes, size));
            bytes[i] = 0;
        }
    }
}

static void the_hash_is_computed_once(void **state)
{
    (void)state;
    cubby_object_t *str = str_of("key");
    uint64_t hash, again;
    assert_true(cubby_object_hash(runtime, str, &hash));
    runtime->hash_key[0]++;
    assert_true(cubby_object_hash(runtime, str, &again));
    assert_int_equal(hash, again);
    release(str);
}

static void each_runtime_hashes_strs_its_own_way_unless_given_a_seed(void **state)
{
    (void)state;
    cubby_runtime_options_t options = {.hash_seed = 5};
    cubby_runtime_t *other = cubby_runtime_create(heap, NULL);
    cubby_runtime_t *five = cubby_runtime_create(heap, &options), *twin = cubby_runtime_create(heap, &options);
    assert_int_not_equal(hash_in(runtime, "key", 3), hash_in(other, "key", 3));
    assert_int_equal(hash_in(five, "key", 3), hash_in(twin, "key", 3));
    cubby_runtime_destroy(other);
    cubby_runtime_destroy(five);
    cubby_runtime_destroy(twin);
}

static void the_hash_is_siphash(void **state)
{
    (void)state;
    /* SipHash-1-3 of the bytes 0, 1, ... 14 under the key 0, 1, ... 15. */
    char bytes[15];
    for (int i = 0; i < 15; i++) {
        bytes[i] = (char)i;
    }
    runtime->hash_key[0] = 0x0706050403020100ULL;
    runtime->hash_key[1] = 0x0f0e0d0c0b0a0908ULL;
    assert_true(hash_in(runtime, bytes, 15) == 0xd320d86d2a519956ULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNTIME_TEST(a_str_holds_any_bytes_and_a_zero_behind_them),
        RUNTIME_TEST(strs_are_equal_when_their_bytes_are),
        RUNTIME_TEST(two_strs_are_joined),
        RUNTIME_TEST(a_str_is_shown_in_quotes_and_on_one_line),
        RUNTIME_TEST(the_hash_depends_on_every_byte_and_on_the_size),
        RUNTIME_TEST(the_hash_is_computed_once),
        RUNTIME_TEST(each_runtime_hashes_strs_its_own_way_unless_given_a_seed),
        RUNTIME_TEST(the_hash_is_siphash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

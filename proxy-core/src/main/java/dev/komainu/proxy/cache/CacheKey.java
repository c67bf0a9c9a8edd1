package dev.komainu.proxy.cache;

import dev.komainu.proxy.http.Ascii;
import dev.komainu.proxy.http.RequestHead;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The effective URI as bytes: {@code host[:port]/path?query}, method left out (RFC 9111 section 2).
 *
 * <p>A hit must not allocate, so each event loop refills one key of its own ({@link #set}) and asks the cache with it.
 * Such a scratch key must never be stored: store {@link #copy()}.
 */
public final class CacheKey implements Comparable<CacheKey> {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** Secret per process, so that nobody can aim keys at one bucket. */
    private static final long SEED = ThreadLocalRandom.current().nextLong() | 1;

    private byte[] bytes;
    private int length;
    private int hash;

    public CacheKey() {
        this(new byte[512], 0, 0);
    }

    private CacheKey(byte[] bytes, int length, int hash) {
        this.bytes = bytes;
        this.length = length;
        this.hash = hash;
    }

    /** Becomes the key of a request; {@code fallback} stands in where the request names no host (HTTP/1.0). */
    public void set(RequestHead head, byte[] fallback) {
        int authority = head.authorityLength();
        int path = head.pathLength();
        ensure((authority == 0 ? fallback.length : authority) + path + 1);
        if (authority == 0) {
            System.arraycopy(fallback, 0, bytes, 0, fallback.length);
            length = fallback.length;
        } else {
            byte[] source = head.bytes();
            int from = head.authorityFrom();
            for (int i = 0; i < authority; i++) {
                bytes[i] = Ascii.lower(source[from + i]);
            }
            length = withoutDefaultPort(authority);
        }
        if (path == 0 || head.bytes()[head.pathFrom()] == '?') {
            bytes[length++] = '/';
        }
        System.arraycopy(head.bytes(), head.pathFrom(), bytes, length, path);
        length += path;
        rehash();
    }

    /** The key of a URL's host and path, for purging. */
    public static CacheKey of(String authority, String pathAndQuery) {
        String lower = authority.toLowerCase(Locale.ROOT);
        lower = lower.endsWith(":80") ? lower.substring(0, lower.length() - 3) : lower;
        byte[] all = Ascii.bytes(lower + (pathAndQuery.startsWith("/") ? "" : "/") + pathAndQuery);
        CacheKey key = new CacheKey(all, all.length, 0);
        key.rehash();
        return key;
    }

    private int withoutDefaultPort(int count) {
        return count > 3 && bytes[count - 3] == ':' && bytes[count - 2] == '8' && bytes[count - 1] == '0'
                ? count - 3
                : count;
    }

    /** Makes this the key of a variant: bytes that no URI contains divide it from the values that select it. */
    void append(String text) {
        byte[] more = text.getBytes(StandardCharsets.UTF_8);
        ensure(length + more.length + 1);
        bytes[length++] = 0;
        System.arraycopy(more, 0, bytes, length, more.length);
        length += more.length;
        rehash();
    }

    private void ensure(int size) {
        if (bytes.length < size) {
            bytes = Arrays.copyOf(bytes, Math.max(size, bytes.length * 2));
        }
    }

    private void rehash() {
        long h = SEED ^ length;
        int i = 0;
        for (; i + 8 <= length; i += 8) {
            h = (h ^ (long) LONGS.get(bytes, i)) * 0x9E3779B97F4A7C15L;
            h ^= h >>> 32;
        }
        for (; i < length; i++) {
            h = (h ^ bytes[i]) * 0x9E3779B97F4A7C15L;
        }
        h ^= h >>> 29;
        hash = (int) (h ^ h >>> 32);
    }

    /** A key of its own that may be stored. */
    public CacheKey copy() {
        return new CacheKey(Arrays.copyOf(bytes, length), length, hash);
    }

    /** Heap bytes a stored key takes, headers included. */
    int footprint() {
        return 24 + 16 + length;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof CacheKey that
                        && hash == that.hash
                        && length == that.length
                        && Arrays.equals(bytes, 0, length, that.bytes, 0, length);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** Lets the map's crowded buckets become trees. */
    @Override
    public int compareTo(CacheKey that) {
        return Arrays.compare(bytes, 0, length, that.bytes, 0, that.length);
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    }
}

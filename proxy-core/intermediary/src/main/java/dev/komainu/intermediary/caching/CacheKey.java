package dev.komainu.intermediary.caching;

import dev.komainu.intermediary.message.Ascii;
import dev.komainu.intermediary.message.RequestHead;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A cache key: the effective URI as bytes, {@code host[:port]/path?query}, followed by {@code "
 * https"} for an https URI; the method is not part of it (RFC 9111 section 2). The scheme stands
 * last, so that operations on a whole host cover both schemes.
 *
 * <p>A hit must not allocate, so each event loop reuses one key of its own ({@link #set}) for
 * look-ups. Such a scratch key must never be stored: store {@link #copy()}.
 */
public final class CacheKey implements Comparable<CacheKey> {

    private static final byte[] HTTPS = Ascii.bytes(" https");
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** Secret per process, so that no client can choose keys for one bucket. */
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

    /**
     * Sets this key to that of a request; {@code fallback} is the authority of a request without
     * one (HTTP/1.0).
     */
    public void set(RequestHead head, byte[] fallback) {
        int authority = head.authorityLength();
        int path = head.pathLength();
        ensure(room(head, fallback));
        boolean secure = head.isSecure();
        if (authority == 0) {
            System.arraycopy(fallback, 0, bytes, 0, fallback.length);
            length = fallback.length;
        } else {
            byte[] source = head.bytes();
            int from = head.authorityFrom();
            for (int i = 0; i < authority; i++) {
                bytes[i] = Ascii.lower(source[from + i]);
            }
            length = withoutDefaultPort(authority, secure);
        }
        if (path == 0 || head.bytes()[head.pathFrom()] == '?') {
            bytes[length++] = '/';
        }
        System.arraycopy(head.bytes(), head.pathFrom(), bytes, length, path);
        length += path;
        if (secure) {
            System.arraycopy(HTTPS, 0, bytes, length, HTTPS.length);
            length += HTTPS.length;
        }
        rehash();
    }

    /** Returns the key of a request as a new key that may be stored; see {@link #set}. */
    public static CacheKey of(RequestHead head, byte[] fallback) {
        CacheKey key = new CacheKey(new byte[room(head, fallback)], 0, 0);
        key.set(head, fallback);
        return key;
    }

    private static int room(RequestHead head, byte[] fallback) {
        int authority = head.authorityLength();
        return (head.isSecure() ? HTTPS.length : 0)
                + (authority == 0 ? fallback.length : authority)
                + head.pathLength()
                + 1;
    }

    /** Returns the key of an http URL's host and path, for purges. */
    public static CacheKey of(String authority, String pathAndQuery) {
        return of(false, authority, pathAndQuery);
    }

    /**
     * Returns the key of a URL's host and path, for purges.
     *
     * @param secure true for an https URL
     */
    public static CacheKey of(boolean secure, String authority, String pathAndQuery) {
        String lower = authority.toLowerCase(Locale.ROOT);
        String port = secure ? ":443" : ":80";
        lower = lower.endsWith(port) ? lower.substring(0, lower.length() - port.length()) : lower;
        return of(lower
                + (pathAndQuery.startsWith("/") ? "" : "/")
                + pathAndQuery
                + (secure ? " https" : ""));
    }

    /** Returns the key with this text, as {@link #toString} writes it. */
    public static CacheKey of(String text) {
        byte[] all = text.getBytes(StandardCharsets.ISO_8859_1);
        CacheKey key = new CacheKey(all, all.length, 0);
        key.rehash();
        return key;
    }

    private int withoutDefaultPort(int count, boolean secure) {
        if (secure) {
            boolean written = count > 4
                    && bytes[count - 4] == ':'
                    && bytes[count - 3] == '4'
                    && bytes[count - 2] == '4'
                    && bytes[count - 1] == '3';
            return written ? count - 4 : count;
        }
        return count > 3
                        && bytes[count - 3] == ':'
                        && bytes[count - 2] == '8'
                        && bytes[count - 1] == '0'
                ? count - 3
                : count;
    }

    /**
     * Makes this the key of a variant: a byte that no URI contains separates the URI from the
     * selecting values.
     */
    public void append(String text) {
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
        long h = longHash();
        hash = (int) (h ^ h >>> 32);
    }

    /** Returns a 64-bit hash that is valid in this process only: for indexes without keys. */
    public long longHash() {
        long h = SEED ^ length;
        int i = 0;
        for (; i + 8 <= length; i += 8) {
            h = (h ^ (long) LONGS.get(bytes, i)) * 0x9E3779B97F4A7C15L;
            h ^= h >>> 32;
        }
        for (; i < length; i++) {
            h = (h ^ bytes[i]) * 0x9E3779B97F4A7C15L;
        }
        return h ^ h >>> 29;
    }

    /** Returns a new key that may be stored. */
    public CacheKey copy() {
        return new CacheKey(Arrays.copyOf(bytes, length), length, hash);
    }

    /** Returns host and port with the {@code /} behind them. */
    String host() {
        String text = toString();
        return text.substring(0, text.indexOf('/') + 1);
    }

    /**
     * Sets this key to the segment of another key that begins at {@code from}: up to its slash, or
     * to the end of the URI.
     *
     * @param withQuery false: the segment ends before a query
     * @return whether a query was left out
     */
    public boolean setSegment(CacheKey other, int from, boolean withQuery) {
        int end = from;
        boolean query = false;
        while (end < other.length && other.bytes[end] != 0 && (query || other.bytes[end] != '/')) {
            if (other.bytes[end] == '?' && !withQuery) {
                break;
            }
            query |= other.bytes[end] == '?';
            end++;
        }
        boolean cut = end < other.length && other.bytes[end] == '?';
        if (end < other.length && other.bytes[end] == '/') {
            end++;
        }
        length = 0;
        ensure(end - from);
        System.arraycopy(other.bytes, from, bytes, 0, end - from);
        length = end - from;
        rehash();
        return cut;
    }

    /** Reports whether the key, variant values included, begins with these bytes. */
    public boolean startsWith(byte[] prefix) {
        return length >= prefix.length
                && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
    }

    /** Reports whether the key continues with these bytes at an index. */
    public boolean startsWith(int from, byte[] prefix) {
        return length - from >= prefix.length
                && Arrays.equals(bytes, from, from + prefix.length, prefix, 0, prefix.length);
    }

    /** Compares the bytes from an index on with a text. */
    public int compareFrom(int from, byte[] text) {
        return Arrays.compare(bytes, from, length, text, 0, text.length);
    }

    /** Returns the index of the path. */
    public int pathFrom() {
        int index = 0;
        while (index < length && bytes[index] != '/') {
            index++;
        }
        return index;
    }

    /** Reports whether no further directory follows in the path from an index on. */
    public boolean isLeafFrom(int from) {
        for (int index = from; index < length; index++) {
            byte next = bytes[index];
            if (next == '/') {
                return false;
            }
            if (next == '?' || next == ' ' || next == 0) {
                return true;
            }
        }
        return true;
    }

    /** Returns the URI without the values that select a variant. */
    public String uri() {
        int end = 0;
        while (end < length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.ISO_8859_1);
    }

    /**
     * Reports whether this is a variant's key: a URI, a byte that no URI contains, and the values
     * that select the variant.
     */
    public boolean isVariant() {
        for (int i = 0; i < length; i++) {
            if (bytes[i] == 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns a copy of the bytes. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    /** Returns the heap bytes of a stored key, headers included. */
    public int footprint() {
        return 24 + 16 + length;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || (other instanceof CacheKey that
                        && hash == that.hash
                        && length == that.length
                        && Arrays.equals(bytes, 0, length, that.bytes, 0, length));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** Compares the bytes, so that crowded buckets of a map become trees. */
    @Override
    public int compareTo(CacheKey that) {
        return Arrays.compare(bytes, 0, length, that.bytes, 0, that.length);
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    }
}

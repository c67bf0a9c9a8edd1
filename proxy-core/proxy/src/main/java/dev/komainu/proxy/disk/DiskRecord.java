package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.Freshness;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One record of a segment without its body, as it is written. All numbers are big-endian.
 *
 * <pre>
 *   0    4       8     9      10      12      16          24       28    32           40       48
 *   +----+-------+-----+------+-------+-------+-----------+--------+-----+------------+--------+----------+
 *   |KDR1|crc32c |kind |flags |status |meta   |body length|crc32c  | 0   |arrived     |dated   |lifetime  |
 *   |    |of meta|     |      |       |length |           |of body |     |wall millis |millis  |seconds   |
 *   +----+-------+-----+------+-------+-------+-----------+--------+-----+------------+--------+----------+
 *   56            64               72          80     84     88     90         92       94   96
 *   +-------------+----------------+-----------+------+------+------+----------+--------+----+
 *   |initial age  |while-revalidate|if-error   |name  |head  |ETag  |Last-     |labels  | 0  |
 *   |seconds      |seconds         |seconds    |bytes |bytes |bytes |Modified  |(count) |    |
 *   +------+------+------+---------+-----+-----+------+------+------+----------+--------+----+------------------+
 *   | name | head | ETag | Last-Modified | n, label … | body | zeros to the next multiple of 16                   |
 *   +------+------+------+---------------+------------+------+----------------------------------------------------+
 *   96                                                 meta length
 * </pre>
 *
 * The first checksum covers a secret number of the directory and everything from {@code kind} to
 * the body: so bytes of a body that look like a record are none, wherever a scan comes upon them. A
 * rule ({@link #RULE}) has in the place of the head the names of the fields that a URI's answers
 * vary by. An order ({@link #ORDER}) drops what was written before {@code dated}, a place in the
 * log; its {@code status} says what its name means.
 *
 * @param bodyCrc CRC32C of the body
 */
record DiskRecord(
        int kind,
        int flags,
        int status,
        long bodyLength,
        int bodyCrc,
        long arrivedWallMillis,
        long dated,
        long lifetimeSeconds,
        long initialAgeSeconds,
        long whileRevalidateSeconds,
        long ifErrorSeconds,
        byte[] name,
        byte[] head,
        @Nullable String etag,
        @Nullable String lastModified,
        List<String> labels) {

    static final int ANSWER = 1;
    static final int RULE = 2;
    static final int ORDER = 3;

    static final int ALIGN = 16;
    static final int FIXED = 96;
    static final int MAGIC = 0x4B445231;

    private static final int MOST_META = 1 << 20;
    private static final int ALWAYS_VALIDATE = 1;
    private static final int MUST_REVALIDATE = 2;
    private static final int EXPLICIT = 4;
    private static final int HAS_ETAG = 8;
    private static final int HAS_MODIFIED = 16;
    static final int SOFT = 32;

    /** @param arrivedWallMillis when the answer came, by the wall clock */
    static DiskRecord answer(
            byte[] name,
            int status,
            byte[] head,
            @Nullable String etag,
            @Nullable String lastModified,
            List<String> labels,
            Freshness freshness,
            long arrivedWallMillis,
            long bodyLength,
            int bodyCrc) {
        int flags = (freshness.alwaysValidate() ? ALWAYS_VALIDATE : 0)
                | (freshness.mustRevalidate() ? MUST_REVALIDATE : 0)
                | (freshness.explicit() ? EXPLICIT : 0)
                | (etag != null ? HAS_ETAG : 0)
                | (lastModified != null ? HAS_MODIFIED : 0);
        return new DiskRecord(
                ANSWER,
                flags,
                status,
                bodyLength,
                bodyCrc,
                arrivedWallMillis,
                freshness.datedMillis(),
                freshness.lifetimeSeconds(),
                freshness.initialAgeSeconds(),
                freshness.whileRevalidateSeconds(),
                freshness.ifErrorSeconds(),
                name,
                head,
                etag,
                lastModified,
                labels);
    }

    /** @param names of the fields that select among a URI's variants, sorted */
    static DiskRecord rule(byte[] uri, List<String> names) {
        byte[] joined = String.join(",", names).getBytes(StandardCharsets.ISO_8859_1);
        return new DiskRecord(
                RULE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, uri, joined, null, null, List.of());
    }

    /** @param before drops what was written before this place */
    static DiskRecord order(DiskPurge order, long before) {
        return new DiskRecord(
                ORDER,
                order.soft() ? SOFT : 0,
                order.kind().ordinal(),
                0,
                0,
                0,
                before,
                0,
                0,
                0,
                0,
                order.text(),
                new byte[0],
                null,
                null,
                List.of());
    }

    List<String> names() {
        return List.of(new String(head, StandardCharsets.ISO_8859_1).split(","));
    }

    /** @return absent when nobody knows what it means */
    @Nullable
    DiskPurge order() {
        DiskPurge.Kind[] kinds = DiskPurge.Kind.values();
        return status < kinds.length
                ? new DiskPurge(kinds[status], name, (flags & SOFT) != 0)
                : null;
    }

    /** @param arrivedSteadyMillis when it came, by this process' steady clock */
    Freshness freshness(long arrivedSteadyMillis) {
        return new Freshness(
                lifetimeSeconds,
                initialAgeSeconds,
                arrivedSteadyMillis,
                (flags & ALWAYS_VALIDATE) != 0,
                (flags & MUST_REVALIDATE) != 0,
                (flags & EXPLICIT) != 0,
                whileRevalidateSeconds,
                ifErrorSeconds,
                dated);
    }

    /**
     * Everything before the body.
     *
     * @param salt of the directory
     */
    ByteBuffer meta(long salt) {
        byte[] tag = latin(etag);
        byte[] modified = latin(lastModified);
        List<byte[]> carried = new ArrayList<>(labels.size());
        int size = FIXED + name.length + head.length + tag.length + modified.length;
        for (String label : labels) {
            byte[] bytes = label.getBytes(StandardCharsets.UTF_8);
            carried.add(bytes);
            size += 2 + bytes.length;
        }
        ByteBuffer out = ByteBuffer.allocate(size);
        out.putInt(MAGIC).putInt(0);
        out.put((byte) kind).put((byte) flags).putShort((short) status).putInt(size);
        out.putLong(bodyLength).putInt(bodyCrc).putInt(0);
        out.putLong(arrivedWallMillis)
                .putLong(dated)
                .putLong(lifetimeSeconds)
                .putLong(initialAgeSeconds);
        out.putLong(whileRevalidateSeconds).putLong(ifErrorSeconds);
        out.putInt(name.length).putInt(head.length);
        out.putShort((short) tag.length).putShort((short) modified.length);
        out.putShort((short) carried.size()).putShort((short) 0);
        out.put(name).put(head).put(tag).put(modified);
        for (byte[] label : carried) {
            out.putShort((short) label.length).put(label);
        }
        out.flip();
        return out.putInt(4, checksum(out, size, salt));
    }

    /** A record without a body, whole. */
    ByteBuffer padded(long salt) {
        ByteBuffer meta = meta(salt);
        ByteBuffer out = ByteBuffer.allocate((int) padded(meta.remaining(), 0));
        out.put(meta);
        return out.rewind();
    }

    private static byte[] latin(@Nullable String text) {
        return text == null ? new byte[0] : text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static int checksum(ByteBuffer in, int metaLength, long salt) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(salt).flip());
        crc.update(in.duplicate().position(in.position() + 8).limit(in.position() + metaLength));
        return (int) crc.getValue();
    }

    /** Bytes that a record takes in its segment. */
    static long padded(long metaLength, long bodyLength) {
        return (metaLength + bodyLength + ALIGN - 1) / ALIGN * ALIGN;
    }

    /**
     * Bytes before the body, by the fixed part that lies at {@code at}.
     *
     * @return -1 when no record can begin there
     */
    static int metaLength(ByteBuffer in, int at) {
        if (at + FIXED > in.limit() || in.getInt(at) != MAGIC) {
            return -1;
        }
        int length = in.getInt(at + 12);
        return length < FIXED || length > MOST_META || in.getLong(at + 16) < 0 ? -1 : length;
    }

    /**
     * The record that lies at {@code at}.
     *
     * @return absent when it is damaged, or not all before its body is there
     */
    static @Nullable DiskRecord read(ByteBuffer whole, int at, long salt) {
        int meta = metaLength(whole, at);
        if (meta < 0 || at + meta > whole.limit()) {
            return null;
        }
        ByteBuffer in = whole.slice(at, meta);
        if (checksum(in, meta, salt) != in.getInt(4)) {
            return null;
        }
        int flags = in.get(9);
        byte[] name = new byte[in.getInt(80)];
        byte[] head = new byte[in.getInt(84)];
        byte[] etag = new byte[in.getShort(88) & 0xFFFF];
        byte[] modified = new byte[in.getShort(90) & 0xFFFF];
        int count = in.getShort(92) & 0xFFFF;
        in.position(FIXED).get(name).get(head).get(etag).get(modified);
        List<String> labels = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            byte[] label = new byte[in.getShort() & 0xFFFF];
            in.get(label);
            labels.add(new String(label, StandardCharsets.UTF_8));
        }
        return new DiskRecord(
                in.get(8),
                flags,
                in.getShort(10) & 0xFFFF,
                in.getLong(16),
                in.getInt(24),
                in.getLong(32),
                in.getLong(40),
                in.getLong(48),
                in.getLong(56),
                in.getLong(64),
                in.getLong(72),
                name,
                head,
                (flags & HAS_ETAG) == 0 ? null : new String(etag, StandardCharsets.ISO_8859_1),
                (flags & HAS_MODIFIED) == 0
                        ? null
                        : new String(modified, StandardCharsets.ISO_8859_1),
                labels);
    }
}

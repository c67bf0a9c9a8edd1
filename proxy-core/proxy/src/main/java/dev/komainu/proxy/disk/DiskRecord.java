package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.Freshness;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The head of one record in a segment, as it is written: everything but the body. All numbers are
 * big-endian.
 *
 * <pre>
 *   0    4       8     9      10     12      16          24       28    32           40       48
 *   +----+-------+-----+------+-------+-------+-----------+--------+-----+------------+--------+----------+
 *   |KDR1|crc32c |kind |flags |status |meta   |body length|crc32c  | 0   |arrived     |dated   |lifetime  |
 *   |    |of meta|     |      |       |length |           |of body |     |wall millis |millis  |seconds   |
 *   +----+-------+-----+------+-------+-------+-----------+--------+-----+------------+--------+----------+
 *   56            64               72          80     84     88     90         92       94   96
 *   +-------------+----------------+-----------+------+------+------+----------+--------+----+
 *   |initial age  |while-revalidate|if-error   |name  |head  |ETag  |Last-     |labels  | 0  |
 *   |seconds      |seconds         |seconds    |bytes |bytes |bytes |Modified  |(count) |    |
 *   +------+------+------+---------+-----+-----+------+------+------+----------+--------+----+------------------+
 *   | name | head | ETag | Last-Modified | n, label … | body | zeros to the next multiple of 16                  |
 *   +------+------+------+---------------+------------+------+----------------------------------------------------+
 *   96                                                meta length
 * </pre>
 *
 * The first checksum covers a secret number of the directory and everything from {@code kind} to
 * the body. Bytes of a body that look like a record are therefore never accepted as one by a scan.
 * A rule ({@link #RULE}) has the names of the fields that a URI's responses vary by in the place of
 * the head. A purge order ({@link #ORDER}) drops the records written before {@code dated}, a place
 * in the log; its {@code status} is the kind of its name.
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

    static final int RESPONSE = 1;
    static final int RULE = 2;
    static final int ORDER = 3;

    static final int ALIGN = 16;
    static final int FIXED = 96;
    static final int MAGIC = 0x4B445231;

    private static final int MAX_META = 1 << 20;
    private static final int ALWAYS_VALIDATE = 1;
    private static final int MUST_REVALIDATE = 2;
    private static final int EXPLICIT = 4;
    private static final int HAS_ETAG = 8;
    private static final int HAS_MODIFIED = 16;
    static final int SOFT = 32;

    /**
     * Returns the record of a response.
     *
     * @param arrivedWallMillis arrival of the response, by the wall clock
     */
    static DiskRecord response(
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
                RESPONSE,
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

    /**
     * Returns the record of a URI's rule.
     *
     * @param names of the fields that select among the URI's variants, sorted
     */
    static DiskRecord rule(byte[] uri, List<String> names) {
        byte[] joined = String.join(",", names).getBytes(StandardCharsets.ISO_8859_1);
        return new DiskRecord(
                RULE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, uri, joined, null, null, List.of());
    }

    /**
     * Returns the record of a purge order.
     *
     * @param before the order drops records written before this place
     */
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

    /** Returns the purge order in this record; null when its kind is unknown. */
    @Nullable
    DiskPurge order() {
        DiskPurge.Kind[] kinds = DiskPurge.Kind.values();
        return status < kinds.length
                ? new DiskPurge(kinds[status], name, (flags & SOFT) != 0)
                : null;
    }

    /**
     * Returns the response's freshness.
     *
     * @param arrivedSteadyMillis arrival of the response, by the steady clock of this process
     */
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
     * Returns the bytes before the body.
     *
     * @param salt of the directory
     */
    ByteBuffer meta(long salt) {
        byte[] tag = latin1(etag);
        byte[] modified = latin1(lastModified);
        List<byte[]> labelBytes = new ArrayList<>(labels.size());
        int size = FIXED + name.length + head.length + tag.length + modified.length;
        for (String label : labels) {
            byte[] bytes = label.getBytes(StandardCharsets.UTF_8);
            labelBytes.add(bytes);
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
        out.putShort((short) labelBytes.size()).putShort((short) 0);
        out.put(name).put(head).put(tag).put(modified);
        for (byte[] label : labelBytes) {
            out.putShort((short) label.length).put(label);
        }
        out.flip();
        return out.putInt(4, checksum(out, size, salt));
    }

    /** Returns the complete bytes of a record without a body. */
    ByteBuffer padded(long salt) {
        ByteBuffer meta = meta(salt);
        ByteBuffer out = ByteBuffer.allocate((int) padded(meta.remaining(), 0));
        out.put(meta);
        return out.rewind();
    }

    private static byte[] latin1(@Nullable String text) {
        return text == null ? new byte[0] : text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static int checksum(ByteBuffer in, int metaLength, long salt) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(salt).flip());
        crc.update(in.duplicate().position(in.position() + 8).limit(in.position() + metaLength));
        return (int) crc.getValue();
    }

    /** Returns the bytes that a record occupies in its segment. */
    static long padded(long metaLength, long bodyLength) {
        return (metaLength + bodyLength + ALIGN - 1) / ALIGN * ALIGN;
    }

    /**
     * Returns the number of bytes before the body, read from the fixed part at {@code position}.
     *
     * @return -1 when no record can begin there
     */
    static int metaLength(ByteBuffer in, int position) {
        if (position + FIXED > in.limit() || in.getInt(position) != MAGIC) {
            return -1;
        }
        int length = in.getInt(position + 12);
        return length < FIXED || length > MAX_META || in.getLong(position + 16) < 0 ? -1 : length;
    }

    /**
     * Reads the record at {@code position}.
     *
     * @return null when the record is damaged or the part before its body is incomplete
     */
    static @Nullable DiskRecord read(ByteBuffer whole, int position, long salt) {
        int meta = metaLength(whole, position);
        if (meta < 0 || position + meta > whole.limit()) {
            return null;
        }
        ByteBuffer in = whole.slice(position, meta);
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

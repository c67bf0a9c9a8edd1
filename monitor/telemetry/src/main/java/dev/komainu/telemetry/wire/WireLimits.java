package dev.komainu.telemetry.wire;

/**
 * The limits of a reader, so that no sender can make it allocate without bound.
 *
 * <pre>
 * limit                 value      beyond it
 * MAX_BATCH_BYTES       32 MB      malformed (413 when only the compressed size is known)
 * MAX_RECORD_BYTES       4 MB      malformed
 * MAX_RECORDS          65,536      malformed
 * MAX_LIST              4,096      malformed: entries of one list in a record
 * MAX_ELEMENTS        500,000      malformed: list entries of a whole batch (they need more memory than their bytes)
 * MAX_LINE_CHARS    1,000,000      malformed: one JSON line
 * MAX_SOURCE_BYTES      1,024      malformed: the source of a batch
 * MAX_SKIPPED_FIELDS 2,000,000     malformed: fields of a whole batch that this version does not know
 * </pre>
 */
public final class WireLimits {

    /** Maximum bytes of a decompressed batch. */
    public static final int MAX_BATCH_BYTES = 32 << 20;

    /** Maximum bytes of one record. */
    public static final int MAX_RECORD_BYTES = 4 << 20;

    /** Maximum records in one batch. */
    public static final int MAX_RECORDS = 65_536;

    /** Maximum entries of one list inside a record. */
    public static final int MAX_LIST = 4_096;

    /** Maximum list entries in a whole batch. */
    public static final int MAX_ELEMENTS = 500_000;

    /** Maximum characters of one JSON line. */
    public static final int MAX_LINE_CHARS = 1_000_000;

    /** Maximum bytes of a batch's source. */
    public static final int MAX_SOURCE_BYTES = 1_024;

    /** Maximum fields of a batch that this version does not know. */
    public static final int MAX_SKIPPED_FIELDS = 2_000_000;

    /** Heap bytes counted for each record, in addition to those of its bytes and entries. */
    static final int RECORD_HEAP_BYTES = 256;

    /** Heap bytes counted for each entry of a list in a record. */
    static final int ELEMENT_HEAP_BYTES = 128;

    /** Heap bytes counted for each byte of a record. */
    static final int HEAP_BYTES_PER_BYTE = 3;

    /** Heap bytes counted for each character of a JSON line while it is parsed. */
    static final int PARSING_BYTES_PER_CHAR = 16;

    private WireLimits() {}
}

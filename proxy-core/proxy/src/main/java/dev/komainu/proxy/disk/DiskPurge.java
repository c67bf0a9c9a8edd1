package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.StoredResponse;
import java.nio.charset.StandardCharsets;

/**
 * What is to be dropped from the disk.
 *
 * @param text a URI, the beginning of URIs, or a label in UTF-8, as the kind says
 * @param soft make it stale instead
 */
public record DiskPurge(Kind kind, byte[] text, boolean soft) {

    /** What the text means. The order of these is written to disks. */
    public enum Kind {
        /** One record by its whole name: a URI, or a variant of one. */
        NAME,
        /** A URI with its variants. */
        URI,
        /** Every URI that begins so. */
        PREFIX,
        /** What carries this label. */
        LABEL
    }

    public static DiskPurge uri(CacheKey uri, boolean soft) {
        return new DiskPurge(Kind.URI, uri.toBytes(), soft);
    }

    public static DiskPurge prefix(byte[] prefix, boolean soft) {
        return new DiskPurge(Kind.PREFIX, prefix, soft);
    }

    public static DiskPurge label(String label, boolean soft) {
        return new DiskPurge(Kind.LABEL, label.getBytes(StandardCharsets.UTF_8), soft);
    }

    /** Of the one record that has this name. */
    static DiskPurge name(CacheKey name) {
        return new DiskPurge(Kind.NAME, name.toBytes(), false);
    }

    String label() {
        return new String(text, StandardCharsets.UTF_8);
    }

    CacheKey key() {
        return CacheKey.of(new String(text, StandardCharsets.ISO_8859_1));
    }

    /** Whether it means a response that is not written yet. */
    boolean means(StoredResponse response) {
        return switch (kind) {
            case NAME -> response.key().equals(key());
            case URI ->
                response.key().startsWith(text) && response.key().uri().length() == text.length;
            case PREFIX -> response.key().startsWith(text);
            case LABEL -> response.carries(label());
        };
    }
}

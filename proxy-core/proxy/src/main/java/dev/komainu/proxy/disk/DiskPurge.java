package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.StoredResponse;
import java.nio.charset.StandardCharsets;

/**
 * An order to drop records from the disk.
 *
 * @param text a URI, a prefix of URIs, or a label in UTF-8, depending on the kind
 * @param soft whether to make the records stale instead
 */
public record DiskPurge(Kind kind, byte[] text, boolean soft) {

    /** The meaning of the text. The order of the constants is part of the file format. */
    public enum Kind {
        /** One record by its complete name: a URI, or a variant of one. */
        NAME,
        /** A URI with its variants. */
        URI,
        /** Each URI with this prefix. */
        PREFIX,
        /** Each response with this label. */
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

    /** Returns the order that drops the one record with this name. */
    static DiskPurge name(CacheKey name) {
        return new DiskPurge(Kind.NAME, name.toBytes(), false);
    }

    String label() {
        return new String(text, StandardCharsets.UTF_8);
    }

    CacheKey key() {
        return CacheKey.of(new String(text, StandardCharsets.ISO_8859_1));
    }

    /** Reports whether the order matches a response that is not yet written. */
    boolean matches(StoredResponse response) {
        return switch (kind) {
            case NAME -> response.key().equals(key());
            case URI ->
                response.key().startsWith(text) && response.key().uri().length() == text.length;
            case PREFIX -> response.key().startsWith(text);
            case LABEL -> response.carries(label());
        };
    }
}

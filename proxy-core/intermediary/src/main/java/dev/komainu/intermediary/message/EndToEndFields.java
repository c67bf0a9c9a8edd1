package dev.komainu.intermediary.message;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The selection of fields that belong to the message, not only to one connection. Heads are written
 * anew and never relayed.
 */
public final class EndToEndFields {

    /** The fields of RFC 9110 section 7.6.1, and the one that older clients send. */
    public static final long HOP_BY_HOP = Fields.mask(
            Field.CONNECTION,
            Field.KEEP_ALIVE,
            Field.PROXY_CONNECTION,
            Field.TE,
            Field.TRAILER,
            Field.TRANSFER_ENCODING,
            Field.UPGRADE,
            Field.PROXY_AUTHENTICATE,
            Field.PROXY_AUTHENTICATION_INFO,
            Field.PROXY_AUTHORIZATION);

    /**
     * Fields for every recipient, which Connection must not name (RFC 9110 section 7.6.1).
     * Otherwise the next hop would process another message than this one did: without the
     * credentials or conditions in the key, or without the directives that forbade storing.
     */
    private static final Set<String> NEVER_NAMED = Set.of(
            "age",
            "authorization",
            "cache-control",
            "content-encoding",
            "content-length",
            "content-range",
            "content-type",
            "cookie",
            "date",
            "etag",
            "expires",
            "host",
            "if-match",
            "if-modified-since",
            "if-none-match",
            "if-range",
            "if-unmodified-since",
            "last-modified",
            "max-forwards",
            "pragma",
            "range",
            "set-cookie",
            "vary",
            "via");

    /**
     * The usual contents of Connection: its own options, and names of fields that are removed
     * anyway.
     */
    private static final Set<String> ALWAYS_REMOVED = Set.of(
            "close",
            "keep-alive",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    private EndToEndFields() {}

    /** Returns the lower-case names that Connection declares to be of this hop only. */
    public static Set<String> named(Fields fields) {
        String connection = fields.joined(Field.CONNECTION);
        if (connection == null
                || connection.equalsIgnoreCase("keep-alive")
                || connection.equalsIgnoreCase("close")) {
            return Set.of();
        }
        Set<String> names = new HashSet<>();
        for (String name : TokenList.split(connection)) {
            String lower = name.toLowerCase(Locale.ROOT);
            if (!NEVER_NAMED.contains(lower) && !ALWAYS_REMOVED.contains(lower)) {
                names.add(lower);
            }
        }
        return names;
    }

    /**
     * Returns the head as it is stored and served: status line and end-to-end fields, without Age
     * and without the empty line. Its version is the origin's, for {@code Via}; a server of the
     * head writes its own version.
     *
     * @param length Content-Length to write; -1 writes none
     * @param stripped fields of the origin that no client receives, as {@link Fields#mask}
     */
    public static byte[] head(ResponseHead response, long length, long wallMillis, long stripped) {
        return head(response, length, wallMillis, stripped, List.of());
    }

    /**
     * Returns the head as it is stored and served, without further fields.
     *
     * @param withheld lower-case names of fields to remove
     */
    public static byte[] head(
            ResponseHead response,
            long length,
            long wallMillis,
            long stripped,
            List<String> withheld) {
        HeadBuffer out = new HeadBuffer(response.length() + 64);
        statusLine(out, response.minorVersion(), response);
        copy(
                out,
                response.fields(),
                Fields.mask(Field.CONTENT_LENGTH, Field.AGE) | stripped,
                withheld);
        finish(out, length, response.fields().has(Field.DATE), wallMillis);
        return out.toArray();
    }

    /**
     * Returns the head of a 206 as that of the whole object: parts are stored under it, and cut
     * from it.
     */
    public static byte[] headOfWhole(
            ResponseHead part, long length, long wallMillis, long stripped, List<String> withheld) {
        HeadBuffer out = new HeadBuffer(part.length() + 64);
        out.add("HTTP/1.").decimal(part.minorVersion()).add(" 200 OK").end();
        copy(
                out,
                part.fields(),
                Fields.mask(Field.CONTENT_LENGTH, Field.AGE, Field.CONTENT_RANGE) | stripped,
                withheld);
        finish(out, length, part.fields().has(Field.DATE), wallMillis);
        return out.toArray();
    }

    /**
     * Returns a 1xx response as it is forwarded (RFC 9110 section 15.2). It is written anew and not
     * stored.
     */
    public static byte[] interim(ResponseHead response) {
        HeadBuffer out = new HeadBuffer(response.length());
        statusLine(out, 1, response);
        if (response.status() != 100) {
            copy(out, response.fields(), Fields.mask(Field.CONTENT_LENGTH), List.of());
        }
        out.end();
        return out.toArray();
    }

    /**
     * Returns the stored head updated by a 304 (RFC 9111 section 3.2): new fields of the origin
     * replace the stored ones.
     */
    public static byte[] updated(
            ResponseHead stored,
            ResponseHead confirmation,
            long length,
            long wallMillis,
            long stripped,
            List<String> withheld) {
        HeadBuffer out = new HeadBuffer(stored.length() + confirmation.length() + 64);
        statusLine(out, stored.minorVersion(), stored);
        Fields updates = confirmation.fields();
        java.util.ArrayList<String> replaced = new java.util.ArrayList<>();
        for (int i = 0; i < updates.count(); i++) {
            replaced.add(updates.nameAt(i).toLowerCase(Locale.ROOT));
        }
        replaced.addAll(withheld);
        // A 304 without Date is dated now: with the old Date, the response just revalidated would
        // look old.
        copy(out, stored.fields(), Fields.mask(Field.CONTENT_LENGTH, Field.DATE), replaced);
        long removed =
                Fields.mask(Field.CONTENT_LENGTH, Field.AGE, Field.SET_COOKIE, Field.CONTENT_RANGE)
                        | stripped;
        copy(out, updates, removed, withheld);
        finish(out, length, updates.has(Field.DATE), wallMillis);
        return out.toArray();
    }

    private static void statusLine(HeadBuffer out, int minor, ResponseHead response) {
        out.add("HTTP/1.")
                .decimal(minor)
                .add(' ')
                .decimal(response.status())
                .add(' ')
                .add(response.reason())
                .end();
    }

    private static void copy(
            HeadBuffer out, Fields fields, long without, List<String> withoutNames) {
        Set<String> named = named(fields);
        long removed = HOP_BY_HOP | without;
        for (int i = 0; i < fields.count(); i++) {
            if (fields.isAmong(i, removed)) {
                continue;
            }
            if (!named.isEmpty() || !withoutNames.isEmpty()) {
                String name = fields.nameAt(i).toLowerCase(Locale.ROOT);
                if (named.contains(name) || withoutNames.contains(name)) {
                    continue;
                }
            }
            out.field(fields, i);
        }
    }

    private static void finish(HeadBuffer out, long length, boolean dated, long wallMillis) {
        if (!dated) {
            // RFC 9110 section 6.6.1: a recipient with a clock adds the Date it lacks.
            out.add("Date: ").add(HttpDate.format(wallMillis)).end();
        }
        if (length >= 0) {
            out.add("Content-Length: ").decimal(length).end();
        }
    }
}

package dev.komainu.proxy.fetch;

import dev.komainu.proxy.http.Ascii;
import dev.komainu.proxy.http.Field;
import dev.komainu.proxy.http.Fields;
import dev.komainu.proxy.http.HttpDate;
import dev.komainu.proxy.http.ResponseHead;
import dev.komainu.proxy.http.Tokens;
import java.io.ByteArrayOutputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which fields belong to the message and which only to one connection; heads are written anew, never relayed. */
public final class EndToEnd {

    /** RFC 9110 section 7.6.1, and the field that older clients send. */
    static final long HOP_BY_HOP = Fields.mask(
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
     * Meant for every recipient, so Connection may not name them (RFC 9110 section 7.6.1). A sender that does would have
     * the next hop judge another message than this one did: without the credentials or conditions that were keyed on,
     * without the directives that forbade storing.
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

    private static final byte[] CRLF = Ascii.bytes("\r\n");

    private EndToEnd() {}

    static boolean in(long mask, @Nullable Field field) {
        return field != null && (mask & Fields.mask(field)) != 0;
    }

    /** Lower-case names that Connection declares to be of this hop only. */
    static Set<String> named(Fields fields) {
        String connection = fields.joined(Field.CONNECTION);
        if (connection == null) {
            return Set.of();
        }
        Set<String> names = new HashSet<>();
        for (String name : Tokens.split(connection)) {
            String lower = name.toLowerCase(Locale.ROOT);
            if (!NEVER_NAMED.contains(lower)) {
                names.add(lower);
            }
        }
        return names;
    }

    /**
     * The head as it is stored and served: status line and end-to-end fields, without Age, without the empty line.
     *
     * @param length Content-Length to write; -1 writes none
     */
    public static byte[] head(ResponseHead response, long length, long wallMillis) {
        return head(response, length, wallMillis, List.of());
    }

    /** @param withheld lower-case names that are left out */
    static byte[] head(ResponseHead response, long length, long wallMillis, List<String> withheld) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(512);
        statusLine(out, response);
        copy(out, response.fields(), Fields.mask(Field.CONTENT_LENGTH, Field.AGE), withheld);
        finish(out, length, response.fields().has(Field.DATE), wallMillis);
        return out.toByteArray();
    }

    /** A 1xx answer as it is passed on (RFC 9110 section 15.2): written anew, nothing of it is stored. */
    public static byte[] interim(ResponseHead response) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(128);
        statusLine(out, response);
        if (response.status() != 100) {
            copy(out, response.fields(), Fields.mask(Field.CONTENT_LENGTH), List.of());
        }
        out.writeBytes(CRLF);
        return out.toByteArray();
    }

    /** The stored head updated by a 304 (RFC 9111 section 3.2): what the origin now says replaces what it said. */
    static byte[] updated(
            ResponseHead stored, ResponseHead confirmation, long length, long wallMillis, List<String> withheld) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(512);
        statusLine(out, stored);
        Fields news = confirmation.fields();
        java.util.ArrayList<String> replaced = new java.util.ArrayList<>();
        for (int i = 0; i < news.count(); i++) {
            replaced.add(news.nameAt(i).toLowerCase(Locale.ROOT));
        }
        replaced.addAll(withheld);
        // A confirmation without Date is dated now: the old Date would make what was just confirmed look old.
        copy(out, stored.fields(), Fields.mask(Field.CONTENT_LENGTH, Field.DATE), replaced);
        copy(out, news, Fields.mask(Field.CONTENT_LENGTH, Field.AGE, Field.SET_COOKIE, Field.CONTENT_RANGE), withheld);
        finish(out, length, news.has(Field.DATE), wallMillis);
        return out.toByteArray();
    }

    private static void statusLine(ByteArrayOutputStream out, ResponseHead response) {
        out.writeBytes(Ascii.bytes("HTTP/1.1 " + response.status() + " " + response.reason()));
        out.writeBytes(CRLF);
    }

    private static void copy(ByteArrayOutputStream out, Fields fields, long without, List<String> withoutNames) {
        Set<String> named = named(fields);
        long left = HOP_BY_HOP | without;
        for (int i = 0; i < fields.count(); i++) {
            if (in(left, fields.knownAt(i))) {
                continue;
            }
            if (!named.isEmpty() || !withoutNames.isEmpty()) {
                String name = fields.nameAt(i).toLowerCase(Locale.ROOT);
                if (named.contains(name) || withoutNames.contains(name)) {
                    continue;
                }
            }
            out.write(fields.bytes(), fields.nameFrom(i), fields.nameLength(i));
            out.write(':');
            out.write(' ');
            out.write(fields.bytes(), fields.valueFrom(i), fields.valueLength(i));
            out.writeBytes(CRLF);
        }
    }

    private static void finish(ByteArrayOutputStream out, long length, boolean dated, long wallMillis) {
        if (!dated) {
            // RFC 9110 section 6.6.1: a recipient with a clock adds the Date it lacks.
            out.writeBytes(Ascii.bytes("Date: " + HttpDate.format(wallMillis) + "\r\n"));
        }
        if (length >= 0) {
            out.writeBytes(Ascii.bytes("Content-Length: " + length + "\r\n"));
        }
    }
}

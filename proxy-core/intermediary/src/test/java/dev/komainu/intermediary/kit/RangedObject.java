package dev.komainu.intermediary.kit;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An object at an origin with support for ranges and If-Range; a test can change it. */
public final class RangedObject implements ScriptedOrigin.Script {

    private static final Pattern RANGE = Pattern.compile("bytes=(\\d*)-(\\d*)");

    /** Range and If-Range of each request, in order. */
    public final List<String> requestedRanges = new CopyOnWriteArrayList<>();

    private volatile String text = "";
    private volatile String etag = "";
    /** Further fields of each response, each ended by CRLF. */
    public volatile String fields = "Cache-Control: max-age=60\r\n";

    public volatile boolean chunked;
    public volatile boolean ranges = true;
    /** True: serves ranges whatever If-Range contains, as an origin must not. */
    public volatile boolean ignoresIfRange;
    /** Body bytes after which a response breaks off; -1: never. */
    public volatile int breaksAfter = -1;

    /**
     * Replaces the content.
     *
     * @param validator as in ETag; empty for none
     */
    public void setContent(String content, String validator) {
        text = content;
        etag = validator;
    }

    @Override
    public boolean answer(ScriptedOrigin.Request request, Socket socket, OutputStream out)
            throws IOException {
        String body = text;
        String range = request.field("Range");
        String condition = request.field("If-Range");
        requestedRanges.add((range + " " + condition).strip());
        String fieldLines = fields + (etag.isEmpty() ? "" : "ETag: " + etag + "\r\n");
        String line = "HTTP/1.1 200 OK\r\n";
        Matcher m = RANGE.matcher(range);
        if (ranges
                && m.matches()
                && (ignoresIfRange || condition.isEmpty() || condition.equals(etag))) {
            int from = m.group(1).isEmpty()
                    ? Math.max(0, body.length() - Integer.parseInt(m.group(2)))
                    : Integer.parseInt(m.group(1));
            int end = m.group(1).isEmpty() || m.group(2).isEmpty()
                    ? body.length()
                    : Math.min(body.length(), Integer.parseInt(m.group(2)) + 1);
            if (from >= end) {
                out.write(("HTTP/1.1 416 No\r\nContent-Range: bytes */" + body.length()
                                + "\r\nContent-Length: 0\r\n\r\n")
                        .getBytes(StandardCharsets.ISO_8859_1));
                return true;
            }
            line = "HTTP/1.1 206 Partial\r\nContent-Range: bytes " + from + "-" + (end - 1) + "/"
                    + body.length() + "\r\n";
            body = body.substring(from, end);
        }
        String part = breaksAfter >= 0 && breaksAfter < body.length()
                ? body.substring(0, breaksAfter)
                : body;
        String framing = chunked
                ? "Transfer-Encoding: chunked\r\n"
                : "Content-Length: " + body.length() + "\r\n";
        String framed = !chunked || part.isEmpty()
                ? part
                : Integer.toHexString(part.length()) + "\r\n" + part + "\r\n";
        boolean whole = part.length() == body.length();
        out.write((line + fieldLines + framing + "\r\n" + framed
                        + (chunked && whole ? "0\r\n\r\n" : ""))
                .getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
        return whole;
    }
}

package dev.komainu.intermediary.kit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A second parser of requests, independent of the proxy's: by regular expressions over the whole
 * text, and only for messages that a proxy may send. All other input is a violation.
 *
 * @param fields "lower-case name: value", in order
 * @param length bytes of the whole message
 */
public record StrictMessage(
        String method, String target, List<String> fields, String head, String body, int length) {

    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
    private static final Pattern START =
            Pattern.compile("(" + TOKEN + ") ([!-~&&[^#\"<>\\\\`]]+) HTTP/1\\.1");
    private static final Pattern LINE = Pattern.compile(
            "(" + TOKEN + "): ?((?:[!-~\\x80-\\xff](?:[ \\t]*[!-~\\x80-\\xff])*+)?)");
    private static final Pattern SIZE = Pattern.compile("[0-9a-f]{1,8}");

    /** The reason why a text is not a valid message. */
    public static final class Violation extends Exception {
        private static final long serialVersionUID = 1;

        Violation(String what) {
            super(what);
        }
    }

    /**
     * Parses a message.
     *
     * @return null when more bytes are needed
     */
    public static StrictMessage read(String text) throws Violation {
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            return null;
        }
        String[] lines = text.substring(0, end).split("\r\n", -1);
        Matcher start = START.matcher(lines[0]);
        if (!start.matches()) {
            throw new Violation("start line: " + lines[0]);
        }
        List<String> fields = new ArrayList<>();
        for (int i = 1; i < lines.length; i++) {
            Matcher line = LINE.matcher(lines[i]);
            if (!line.matches()) {
                throw new Violation("field line: " + lines[i]);
            }
            fields.add(line.group(1).toLowerCase(Locale.ROOT) + ": " + line.group(2));
        }
        List<String> lengths = values(fields, "content-length");
        List<String> codings = values(fields, "transfer-encoding");
        if (values(fields, "host").size() != 1 || lengths.size() + codings.size() > 1) {
            throw new Violation("framing: " + fields);
        }
        String head = text.substring(0, end + 4);
        StringBuilder body = new StringBuilder();
        int after = end + 4;
        if (codings.size() == 1) {
            if (!codings.getFirst().equals("chunked")) {
                throw new Violation("coding: " + codings);
            }
            after = chunks(text, after, body);
        } else if (lengths.size() == 1) {
            // A body of many terabytes is lawful, too.
            if (!lengths.getFirst().matches("0|[1-9][0-9]{0,17}")) {
                throw new Violation("length: " + lengths);
            }
            long bodyEnd = after + Long.parseLong(lengths.getFirst());
            body.append(text, after, (int) Math.min(text.length(), bodyEnd));
            after = text.length() < bodyEnd ? -1 : (int) bodyEnd;
        }
        return after < 0
                ? null
                : new StrictMessage(
                        start.group(1), start.group(2), fields, head, body.toString(), after);
    }

    private static List<String> values(List<String> fields, String name) {
        return fields.stream()
                .filter(f -> f.startsWith(name + ": "))
                .map(f -> f.substring(name.length() + 2))
                .toList();
    }

    private static int chunks(String text, int from, StringBuilder body) throws Violation {
        int at = from;
        while (true) {
            int line = text.indexOf("\r\n", at);
            if (line < 0) {
                return -1;
            }
            String size = text.substring(at, line);
            if (!SIZE.matcher(size).matches()) {
                throw new Violation("chunk size: " + size);
            }
            long count = Long.parseLong(size, 16);
            if (text.length() < line + 4 + count) {
                return -1;
            }
            int next = line + 2 + (int) count;
            body.append(text, line + 2, next);
            if (!text.startsWith("\r\n", next)) {
                throw new Violation("chunk end, or a trailer");
            }
            at = next + 2;
            if (count == 0) {
                return at;
            }
        }
    }
}

package dev.komainu.proxy.log;

import dev.komainu.intermediary.message.Ascii;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.UpstreamInfo;
import java.util.Locale;

/** The format of a line. {@code docs/formats/access-log.md} describes each field. */
public enum LogFormat {
    /**
     * Squid's native format, byte for byte:
     *
     * <pre>
     *   %ts.%03tu %6tr %&gt;a %Ss/%03&gt;Hs %&lt;st %rm %ru %[un %Sh/%&lt;a %mt
     *   1795315399.665      0 127.0.0.1 TCP_MEM_HIT/200 349 GET http://test.example/a? - HIER_NONE/- text/html
     * </pre>
     */
    SQUID {
        @Override
        void write(LogEntry e, LogLineBuffer out, LogClock clock) {
            out.number(e.wallMillis / 1000).put('.').padded(e.wallMillis % 1000, 3, '0');
            out.put(' ').padded(e.durationMillis, 6, ' ');
            out.put(' ').put(e.client).put(' ').put(e.code.bytes);
            if (e.aborted) {
                out.put("_ABORTED");
            }
            out.put('/').padded(e.status, 3, '0').put(' ').number(e.sentBytes).put(' ');
            method(e, out).put(' ');
            uri(e, out).put(" - ");
            server(e, out).put(' ');
            if (e.typeLength == 0) {
                out.put('-');
            } else {
                out.percent(e.type, e.typeFrom, e.typeLength);
            }
        }
    },
    /**
     * The format of NCSA's server: {@code client - - [time] "GET /a HTTP/1.1" 200 349}; bytes
     * include the head.
     */
    COMMON {
        @Override
        void write(LogEntry e, LogLineBuffer out, LogClock clock) {
            common(e, out, clock);
        }
    },
    /** The common format, followed by the quoted Referer and User-Agent. */
    COMBINED {
        @Override
        void write(LogEntry e, LogLineBuffer out, LogClock clock) {
            common(e, out, clock);
            quoted(e, "referer", out);
            quoted(e, "user-agent", out);
        }
    },
    /** One JSON object a line. */
    JSON {
        @Override
        void write(LogEntry e, LogLineBuffer out, LogClock clock) {
            out.put("{\"time\":\"")
                    .put(clock.iso(e.wallMillis))
                    .put('.')
                    .padded(e.wallMillis % 1000, 3, '0');
            out.put("Z\",\"durationMillis\":").number(e.durationMillis);
            out.put(",\"client\":\"").put(e.client).put("\",\"result\":\"").put(e.code.bytes);
            out.put("\",\"aborted\":").put(e.aborted ? "true" : "false");
            out.put(",\"status\":").number(e.status).put(",\"sentBytes\":").number(e.sentBytes);
            out.put(",\"method\":\"");
            method(e, out).put("\",\"uri\":\"");
            uri(e, out).put("\",\"server\":");
            if (e.server == null) {
                out.put("null");
            } else {
                out.put('"').address(e.server).put('"');
            }
            out.put(",\"member\":");
            UpstreamInfo member = e.member;
            if (member == null) {
                out.put("null");
            } else {
                out.put('"').put(member.server()).put('"');
            }
            out.put(",\"type\":");
            if (e.typeLength == 0) {
                out.put("null");
            } else {
                out.put('"').json(e.type, e.typeFrom, e.typeLength).put('"');
            }
            member(e, "referer", "referer", out);
            member(e, "user-agent", "userAgent", out);
            out.put('}');
        }
    };

    private static final byte[] NO_REQUEST = Ascii.bytes("error:invalid-request");
    private static final byte[] NO_HEAD = Ascii.bytes("error:transaction-end-before-headers");

    abstract void write(LogEntry e, LogLineBuffer out, LogClock clock);

    /**
     * Parses a setting's value.
     *
     * @throws IllegalArgumentException with the text and the possible values
     */
    public static LogFormat of(String name) {
        for (LogFormat format : values()) {
            if (format.name().toLowerCase(Locale.ROOT).equals(name)) {
                return format;
            }
        }
        throw new IllegalArgumentException(name + " (expected: squid, common, combined or json)");
    }

    private static void common(LogEntry e, LogLineBuffer out, LogClock clock) {
        out.put(e.client).put(" - - [").put(clock.common(e.wallMillis)).put("] \"");
        method(e, out).put(' ');
        RequestHead head = e.head;
        if (head == null || head.isAbsolute() || head.methodIs("CONNECT")) {
            uri(e, out);
        } else {
            path(e, head, out);
        }
        if (e.http2) {
            out.put(" HTTP/2.0\" ");
        } else {
            out.put(head == null || head.minorVersion() == 1 ? " HTTP/1.1\" " : " HTTP/1.0\" ");
        }
        out.padded(e.status, 3, '0').put(' ').number(e.sentBytes);
    }

    private static LogLineBuffer method(LogEntry e, LogLineBuffer out) {
        RequestHead head = e.head;
        return head == null
                ? out.put('-')
                : out.raw(head.bytes(), head.methodFrom(), head.methodLength());
    }

    /**
     * Appends the effective URI; of a CONNECT its authority. No character of it needs more than
     * percent-encoding.
     */
    private static LogLineBuffer uri(LogEntry e, LogLineBuffer out) {
        RequestHead head = e.head;
        if (head == null) {
            return out.put(e.status == 0 ? NO_HEAD : NO_REQUEST);
        }
        boolean connect = head.methodIs("CONNECT");
        if (!connect) {
            out.put(e.secure ? "https://" : "http://");
        }
        if (head.authorityLength() == 0) {
            out.percent(e.fallbackAuthority, 0, e.fallbackAuthority.length);
        } else {
            out.percent(head.bytes(), head.authorityFrom(), head.authorityLength());
        }
        return connect ? out : path(e, head, out);
    }

    private static LogLineBuffer path(LogEntry e, RequestHead head, LogLineBuffer out) {
        byte[] bytes = head.bytes();
        int from = head.pathFrom();
        int length = head.pathLength();
        if (length == 0) {
            return out.put('/');
        }
        if (!e.withQuery) {
            for (int i = 0; i < length; i++) {
                if (bytes[from + i] == '?') {
                    length = i + 1;
                }
            }
        }
        return out.percent(bytes, from, length);
    }

    private static LogLineBuffer server(LogEntry e, LogLineBuffer out) {
        UpstreamInfo member = e.member;
        if (member != null) {
            return out.put(member.hierarchyCode().text()).put('/').put(member.server());
        }
        return e.server == null
                ? out.put("HIER_NONE/-")
                : out.put("HIER_DIRECT/").address(e.server);
    }

    private static void quoted(LogEntry e, String name, LogLineBuffer out) {
        int index = fieldIndex(e, name);
        if (index < 0 || e.head == null) {
            out.put(" \"-\"");
            return;
        }
        Fields fields = e.head.fields();
        out.put(" \"")
                .backslash(fields.bytes(), fields.valueFrom(index), fields.valueLength(index))
                .put('"');
    }

    private static void member(LogEntry e, String name, String memberName, LogLineBuffer out) {
        out.put(",\"").put(memberName).put("\":");
        int index = fieldIndex(e, name);
        if (index < 0 || e.head == null) {
            out.put("null");
            return;
        }
        Fields fields = e.head.fields();
        out.put('"')
                .json(fields.bytes(), fields.valueFrom(index), fields.valueLength(index))
                .put('"');
    }

    /**
     * Returns the index of the first field of this name, which is not among those that the proxy
     * interprets; -1 when there is none.
     */
    private static int fieldIndex(LogEntry e, String lowerName) {
        if (e.head == null) {
            return -1;
        }
        Fields fields = e.head.fields();
        for (int i = 0; i < fields.count(); i++) {
            if (fields.nameLength(i) == lowerName.length() && isNamed(fields, i, lowerName)) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isNamed(Fields fields, int index, String lowerName) {
        byte[] bytes = fields.bytes();
        for (int i = 0; i < lowerName.length(); i++) {
            byte b = bytes[fields.nameFrom(index) + i];
            if ((b >= 'A' && b <= 'Z' ? b + 32 : b) != lowerName.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}

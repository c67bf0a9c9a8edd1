package dev.komainu.organizer.service;

import dev.komainu.organizer.front.GatewayError;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Locale;

/** Why a client of a service did not get what it asked for. */
public enum ServiceRefusal {
    /** Nobody serves the name. */
    NO_ROUTE,
    /** All who serve it are stopped, or cannot be reached. */
    ALL_DOWN,
    /** No line to the member, or it broke before the service answered. */
    LINE,
    /** The service took no connection. */
    SERVER_REFUSED,
    /** The service said nothing to a connection. */
    SERVER_SILENT,
    /** What came is no TLS (RFC 8446 section 5.1). */
    NOT_TLS,
    /** TLS, and no ClientHello that can be read. */
    MALFORMED_HELLO,
    /** A ClientHello of more than 64 KB, or in more than 64 records. */
    LONG_HELLO,
    /** A ClientHello without a name (RFC 6066 section 3). */
    NO_NAME,
    /** The ClientHello was not whole after ten seconds, or when the client ended. */
    SLOW_HELLO,
    /**
     * FTP: a client named an address that is not its own, or a port below 1024 (RFC 2577 section
     * 3).
     */
    FOREIGN_ADDRESS,
    /** FTP: a data connection of somebody else. */
    FOREIGN_PEER,
    /** FTP: a control connection that nobody could read any more (RFC 4217). */
    ENCRYPTION,
    /** FTP: a command that this end cannot carry (RFC 1639; the other address family). */
    UNSUPPORTED,
    /** FTP: a command, or an answer, that is none, or longer than 8 KB. */
    MALFORMED_LINE,
    /** FTP: no port left to take a data connection at, here or at the far end. */
    NO_DATA_PORT,
    /** FTP: a data connection that never came, or could not be had. */
    NO_DATA;

    /** As figures name it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What an answer that is not 2xx says. */
    static ServiceRefusal of(Http2Headers answer) {
        GatewayError said = GatewayError.in(answer);
        if (said != null) {
            return switch (said) {
                case NO_ROUTE -> NO_ROUTE;
                case ALL_DOWN, LOOP -> ALL_DOWN;
                case LINE_DOWN, LINE_LOST -> LINE;
                case CONNECT_TIMEOUT, SERVER_SILENT -> SERVER_SILENT;
                default -> SERVER_REFUSED;
            };
        }
        // The far end's own words (DataDoor), or a web server's.
        return switch (String.valueOf(answer.status())) {
            case "404" -> NO_ROUTE;
            case "504" -> SERVER_SILENT;
            default -> SERVER_REFUSED;
        };
    }
}

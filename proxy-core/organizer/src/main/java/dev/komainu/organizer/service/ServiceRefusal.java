package dev.komainu.organizer.service;

import dev.komainu.organizer.front.GatewayError;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Locale;

/** The reasons why a client of a service was refused. */
public enum ServiceRefusal {
    /** No member serves the name. */
    NO_ROUTE,
    /** All members that serve it are stopped or unreachable. */
    ALL_DOWN,
    /** No line to the member, or it broke before the service responded. */
    LINE,
    /** The service refused the connection. */
    SERVER_REFUSED,
    /** The service did not respond to the connection attempt. */
    SERVER_SILENT,
    /** The received bytes are not TLS (RFC 8446 section 5.1). */
    NOT_TLS,
    /** TLS without a readable ClientHello. */
    MALFORMED_HELLO,
    /** A ClientHello of more than 64 KB, or in more than 64 records. */
    LONG_HELLO,
    /** A ClientHello without a server name (RFC 6066 section 3). */
    NO_NAME,
    /** The ClientHello was incomplete after ten seconds, or when the client closed its output. */
    SLOW_HELLO,
    /**
     * FTP: a client named an address that is not its own, or a port below 1024 (RFC 2577 section
     * 3).
     */
    FOREIGN_ADDRESS,
    /** FTP: a data connection of another host. */
    FOREIGN_PEER,
    /**
     * FTP: a command for an encrypted control connection, which could not be read here (RFC 4217).
     */
    ENCRYPTION,
    /** FTP: a command that is not supported here (RFC 1639; the other address family). */
    UNSUPPORTED,
    /** FTP: a malformed command or reply, or one longer than 8 KB. */
    MALFORMED_LINE,
    /** FTP: no free port to listen for a data connection, here or at the far end. */
    NO_DATA_PORT,
    /** FTP: a data connection that did not arrive, or could not be opened. */
    NO_DATA;

    /** Returns the name in metrics. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the refusal for a response that is not 2xx. */
    static ServiceRefusal of(Http2Headers response) {
        GatewayError error = GatewayError.in(response);
        if (error != null) {
            return switch (error) {
                case NO_ROUTE -> NO_ROUTE;
                case ALL_DOWN, LOOP -> ALL_DOWN;
                case LINE_DOWN, LINE_LOST -> LINE;
                case CONNECT_TIMEOUT, SERVER_SILENT -> SERVER_SILENT;
                default -> SERVER_REFUSED;
            };
        }
        // The response is of the far end ({@code FtpSessions}) or of a web server.
        return switch (String.valueOf(response.status())) {
            case "404" -> NO_ROUTE;
            case "504" -> SERVER_SILENT;
            default -> SERVER_REFUSED;
        };
    }
}

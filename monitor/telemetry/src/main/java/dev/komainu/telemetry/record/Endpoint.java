package dev.komainu.telemetry.record;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * A transport address. Its text is {@code address:port}, IPv6 in brackets: {@code [::1]:80}.
 *
 * @param address never resolved through DNS
 * @param port 0 to 65535
 */
public record Endpoint(InetAddress address, int port) {

    public Endpoint {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port: " + port + " (expected: 0 to 65535)");
        }
    }

    /**
     * Parses {@code 192.0.2.1:80} or {@code [2001:db8::1]:80}; host names are refused, so that no
     * lookup happens.
     *
     * @throws IllegalArgumentException naming the text and the expected form
     */
    public static Endpoint parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        boolean six = host.startsWith("[") && host.endsWith("]");
        if (six) {
            host = host.substring(1, host.length() - 1);
        }
        try {
            return new Endpoint(
                    InetAddress.ofLiteral(host), Integer.parseInt(text.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "endpoint: " + text
                            + " (expected: ADDRESS:PORT, IPv6 in brackets, no host names)",
                    e);
        }
    }

    /**
     * Creates an endpoint.
     *
     * @param address 4 or 16 bytes in network order
     */
    public static Endpoint of(byte[] address, int port) {
        try {
            return new Endpoint(InetAddress.getByAddress(address), port);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(
                    "address: " + address.length + " bytes (expected: 4 or 16)", e);
        }
    }

    // A record's default methods are linked at their first call, which is noticeable in a short
    // run.

    @Override
    public boolean equals(Object other) {
        return other instanceof Endpoint that && port == that.port && address.equals(that.address);
    }

    @Override
    public int hashCode() {
        return address.hashCode() * 31 + port;
    }

    @Override
    public String toString() {
        return address instanceof Inet6Address
                ? "[" + shortest(address.getAddress()) + "]:" + port
                : address.getHostAddress() + ":" + port;
    }

    /**
     * Returns the text by RFC 5952 section 4: no leading zeros, lower case, the longest run of two
     * or more zero fields as {@code ::}.
     */
    private static String shortest(byte[] bytes) {
        int[] fields = new int[8];
        for (int i = 0; i < 8; i++) {
            fields[i] = (bytes[i * 2] & 0xff) << 8 | (bytes[i * 2 + 1] & 0xff);
        }
        int start = -1;
        int length = 1;
        for (int i = 0; i < 8; i++) {
            int run = 0;
            while (i + run < 8 && fields[i + run] == 0) {
                run++;
            }
            if (run > length) {
                start = i;
                length = run;
            }
            i += run;
        }
        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < 8; i++) {
            if (i == start) {
                text.append("::");
                i += length - 1;
            } else {
                if (i > 0 && i != start + length) {
                    text.append(':');
                }
                text.append(Integer.toHexString(fields[i]));
            }
        }
        return text.toString();
    }
}

package dev.komainu.organizer.service;

import io.netty.util.NetUtil;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address formats of FTP (RFC 959 section 4.1.2, RFC 2428). Pure functions; malformed text
 * gives null or 0.
 */
final class FtpAddress {

    private static final Pattern SIX = Pattern.compile(
            "([0-9]{1,3}),([0-9]{1,3}),([0-9]{1,3}),([0-9]{1,3}),([0-9]{1,3}),([0-9]{1,3})");
    /** The delimiter is any visible character, by convention a vertical bar. */
    private static final Pattern EXTENDED =
            Pattern.compile("([!-~])([12])\\1([0-9A-Fa-f.:]{2,45})\\1([0-9]{1,5})\\1");

    private static final Pattern PORT_ONLY = Pattern.compile("\\(([!-~])\\1\\1([0-9]{1,5})\\1\\)");

    private FtpAddress() {}

    /** Parses the argument of {@code PORT}. */
    static @Nullable InetSocketAddress ofPort(String argument) {
        Matcher six = SIX.matcher(argument);
        return six.matches() ? address(six) : null;
    }

    /** Parses the argument of {@code EPRT}. */
    static @Nullable InetSocketAddress ofEprt(String argument) {
        Matcher matcher = EXTENDED.matcher(argument);
        if (!matcher.matches()) {
            return null;
        }
        boolean four = matcher.group(2).equals("1");
        String host = matcher.group(3);
        if (four ? !NetUtil.isValidIpV4Address(host) : !NetUtil.isValidIpV6Address(host)) {
            return null;
        }
        return address(NetUtil.createByteArrayFromIpAddressString(host), matcher.group(4));
    }

    /**
     * Returns the port in the text of a 227 reply; 0: none. Its six numbers may be at any position
     * (RFC 1123 section 4.1.2.6).
     */
    static int portOf227(String text) {
        Matcher six = SIX.matcher(text);
        InetSocketAddress found = six.find() ? address(six) : null;
        return found == null ? 0 : found.getPort();
    }

    /** Returns the port in the text of a 229 reply; 0: none. */
    static int portOf229(String text) {
        Matcher matcher = PORT_ONLY.matcher(text);
        return matcher.find() ? port(matcher.group(2)) : 0;
    }

    /**
     * Formats an address for {@code PORT} and 227.
     *
     * @param address an IPv4 address
     */
    static String six(InetSocketAddress address) {
        return address.getAddress().getHostAddress().replace('.', ',') + ","
                + (address.getPort() >> 8) + "," + (address.getPort() & 0xff);
    }

    /** Formats an address for {@code EPRT}. */
    static String extended(InetSocketAddress address) {
        boolean four = address.getAddress() instanceof Inet4Address;
        return "|" + (four ? 1 : 2) + "|" + NetUtil.toAddressString(address.getAddress()) + "|"
                + address.getPort() + "|";
    }

    private static @Nullable InetSocketAddress address(Matcher six) {
        byte[] host = new byte[4];
        int[] numbers = new int[6];
        for (int i = 0; i < 6; i++) {
            numbers[i] = Integer.parseInt(six.group(i + 1));
            if (numbers[i] > 255) {
                return null;
            }
            if (i < 4) {
                host[i] = (byte) numbers[i];
            }
        }
        return address(host, Integer.toString(numbers[4] << 8 | numbers[5]));
    }

    private static @Nullable InetSocketAddress address(byte[] host, String port) {
        try {
            int number = port(port);
            return number == 0
                    ? null
                    : new InetSocketAddress(InetAddress.getByAddress(host), number);
        } catch (UnknownHostException e) {
            return null;
        }
    }

    private static int port(String text) {
        int number = Integer.parseInt(text);
        return number <= 65_535 ? number : 0;
    }
}

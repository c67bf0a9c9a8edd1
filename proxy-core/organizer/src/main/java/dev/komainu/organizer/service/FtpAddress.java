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
 * Addresses as FTP writes them (RFC 959 section 4.1.2, RFC 2428). Pure functions; what is none of
 * the form is null.
 */
final class FtpAddress {

    private static final Pattern SIX = Pattern.compile(
            "([0-9]{1,3}),([0-9]{1,3}),([0-9]{1,3}),([0-9]{1,3}),([0-9]{1,3}),([0-9]{1,3})");
    /** The delimiter is any one visible character, by convention a bar. */
    private static final Pattern EXTENDED =
            Pattern.compile("([!-~])([12])\\1([0-9A-Fa-f.:]{2,45})\\1([0-9]{1,5})\\1");

    private static final Pattern PORT_ONLY = Pattern.compile("\\(([!-~])\\1\\1([0-9]{1,5})\\1\\)");

    private FtpAddress() {}

    /** {@code PORT}'s argument. */
    static @Nullable InetSocketAddress ofPort(String argument) {
        Matcher six = SIX.matcher(argument);
        return six.matches() ? address(six) : null;
    }

    /** {@code EPRT}'s argument. */
    static @Nullable InetSocketAddress ofEprt(String argument) {
        Matcher said = EXTENDED.matcher(argument);
        if (!said.matches()) {
            return null;
        }
        boolean four = said.group(2).equals("1");
        String host = said.group(3);
        if (four ? !NetUtil.isValidIpV4Address(host) : !NetUtil.isValidIpV6Address(host)) {
            return null;
        }
        return address(NetUtil.createByteArrayFromIpAddressString(host), said.group(4));
    }

    /**
     * The port in the text of an answer 227; its six numbers may stand anywhere (RFC 1123 section
     * 4.1.2.6).
     *
     * @return 0: none
     */
    static int portOf227(String text) {
        Matcher six = SIX.matcher(text);
        InetSocketAddress found = six.find() ? address(six) : null;
        return found == null ? 0 : found.getPort();
    }

    /** The port in the text of an answer 229. @return 0: none */
    static int portOf229(String text) {
        Matcher said = PORT_ONLY.matcher(text);
        return said.find() ? port(said.group(2)) : 0;
    }

    /** As {@code PORT} and 227 write it. @param address of IPv4 */
    static String six(InetSocketAddress address) {
        return address.getAddress().getHostAddress().replace('.', ',') + ","
                + (address.getPort() >> 8) + "," + (address.getPort() & 0xff);
    }

    /** As {@code EPRT} writes it. */
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

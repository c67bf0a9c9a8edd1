package dev.komainu.load;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The visitors' addresses, assigned one after another: {@code 10.91.1.1+200} is a range of two
 * hundred.
 */
record VisitorAddresses(List<InetAddress> addresses) {

    private static final Pattern RANGE =
            Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,3}){3})(?:\\+([0-9]{1,5}))?");

    VisitorAddresses {
        addresses = List.copyOf(addresses);
    }

    /**
     * Parses an option.
     *
     * @throws IllegalArgumentException when the text is not a range
     */
    static VisitorAddresses parse(String text) {
        Matcher range = RANGE.matcher(text);
        if (!range.matches()) {
            throw new IllegalArgumentException(
                    "--from: " + text + " (expected: A.B.C.D or A.B.C.D+COUNT)");
        }
        int count = range.group(2) == null ? 1 : Math.max(1, Integer.parseInt(range.group(2)));
        byte[] first = InetAddress.ofLiteral(range.group(1)).getAddress();
        long number = 0;
        for (byte part : first) {
            number = number << 8 | (part & 0xff);
        }
        List<InetAddress> addresses = new ArrayList<>(count);
        for (long next = number; next < number + count; next++) {
            addresses.add(ofNumber(next));
        }
        return new VisitorAddresses(addresses);
    }

    InetAddress address(long visit) {
        return addresses.get((int) (visit % addresses.size()));
    }

    private static InetAddress ofNumber(long number) {
        try {
            return InetAddress.getByAddress(new byte[] {
                (byte) (number >> 24), (byte) (number >> 16), (byte) (number >> 8), (byte) number
            });
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }
}

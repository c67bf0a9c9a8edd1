package dev.komainu.settings;

import java.net.InetAddress;

/**
 * A block of addresses, such as {@code 192.0.2.0/24} or {@code 2001:db8::/32}; a single address is
 * a block of one.
 *
 * @param network its first address
 * @param bits length of the prefix
 */
public record Cidr(InetAddress network, int bits) {

    /**
     * Parses a block.
     *
     * @throws IllegalArgumentException with the text and the expected form
     */
    public static Cidr parse(String text) {
        int slash = text.indexOf('/');
        try {
            InetAddress address =
                    InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash));
            int most = address.getAddress().length * 8;
            int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
            if (bits >= 0 && bits <= most) {
                return new Cidr(address, bits);
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw new IllegalArgumentException(text + " (expected: ADDRESS or ADDRESS/BITS)");
    }

    public boolean contains(InetAddress address) {
        byte[] block = network.getAddress();
        byte[] candidate = address.getAddress();
        if (block.length != candidate.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit += 8) {
            int mask = bits - bit >= 8 ? 0xff : 0xff << (8 - (bits - bit)) & 0xff;
            if (((block[bit / 8] ^ candidate[bit / 8]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Reports whether the address has no bits after the prefix: 10.0.0.0/8, not 10.0.0.1/8. */
    public boolean isPrefixOnly() {
        byte[] bytes = network.getAddress();
        for (int bit = bits; bit < bytes.length * 8; bit++) {
            if ((bytes[bit / 8] >> (7 - bit % 8) & 1) != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return network.getHostAddress() + "/" + bits;
    }
}

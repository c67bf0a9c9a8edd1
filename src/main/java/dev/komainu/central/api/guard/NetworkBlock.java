package dev.komainu.central.api.guard;

import java.net.InetAddress;

/**
 * A block of addresses in CIDR notation (RFC 4632), such as {@code 10.0.0.0/8} or
 * {@code 2001:db8::/32}. A plain address is a block of one.
 */
record NetworkBlock(InetAddress first, int bits) {

    /**
     * Parses a block.
     *
     * @throws IllegalArgumentException when the text is not one, or has bits after its prefix
     */
    static NetworkBlock parse(String text) {
        int slash = text.indexOf('/');
        InetAddress first = InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash));
        int all = first.getAddress().length * Byte.SIZE;
        int bits = slash < 0 ? all : Integer.parseInt(text.substring(slash + 1));
        NetworkBlock block = new NetworkBlock(first, bits);
        if (bits < 0 || bits > all || !block.isPrefixOnly()) {
            throw new IllegalArgumentException(text
                    + " (expected: a block such as 10.0.0.0/8, without bits after the prefix)");
        }
        return block;
    }

    @Override
    public String toString() {
        return first.getHostAddress() + "/" + bits;
    }

    private boolean isPrefixOnly() {
        byte[] bytes = first.getAddress();
        for (int bit = bits; bit < bytes.length * Byte.SIZE; bit++) {
            if ((bytes[bit / Byte.SIZE] >> (7 - bit % Byte.SIZE) & 1) != 0) {
                return false;
            }
        }
        return true;
    }

    boolean contains(InetAddress address) {
        byte[] mine = first.getAddress();
        byte[] other = address.getAddress();
        if (mine.length != other.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit++) {
            if (((mine[bit / Byte.SIZE] ^ other[bit / Byte.SIZE]) >> (7 - bit % Byte.SIZE) & 1)
                    != 0) {
                return false;
            }
        }
        return true;
    }
}

package dev.komainu.intermediary.access;

import dev.komainu.settings.Cidr;
import java.net.InetAddress;
import java.util.List;

/**
 * A list of permitted addresses; all others are denied.
 *
 * @param blocks in any order
 */
public record AccessList(List<Cidr> blocks) {

    public static final AccessList NONE = new AccessList(List.of());
    public static final AccessList LOOPBACK =
            new AccessList(List.of(Cidr.parse("127.0.0.0/8"), Cidr.parse("::1")));
    public static final AccessList ALL =
            new AccessList(List.of(Cidr.parse("0.0.0.0/0"), Cidr.parse("::/0")));

    /**
     * Returns the list of one block.
     *
     * @throws IllegalArgumentException as {@link Cidr#parse}
     */
    public static AccessList of(String block) {
        return new AccessList(List.of(Cidr.parse(block)));
    }

    public AccessList {
        blocks = List.copyOf(blocks);
    }

    public boolean permits(InetAddress address) {
        for (Cidr block : blocks) {
            if (block.contains(address)) {
                return true;
            }
        }
        return false;
    }
}

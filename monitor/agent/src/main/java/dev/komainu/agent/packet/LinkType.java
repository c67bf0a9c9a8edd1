package dev.komainu.agent.packet;

/** What a frame begins with (the LINKTYPE registry of tcpdump.org). */
public enum LinkType {
    /** BSD loopback: address family in the writer's byte order. */
    NULL,
    /** OpenBSD loopback: address family in network order. */
    LOOP,
    ETHERNET,
    /** Begins with the IP header. */
    RAW,
    /** Linux cooked, the {@code any} device. */
    LINUX_SLL,
    /** Linux cooked, version 2. */
    LINUX_SLL2,
    /** Nothing we can read: its frames are counted, not decoded. */
    OTHER;

    /** @param number LINKTYPE_ value of a file, or DLT_ value of libpcap */
    public static LinkType of(int number) {
        return switch (number) {
            case 0 -> NULL;
            case 1 -> ETHERNET;
            case 12, 14, 101, 228, 229 -> RAW;
            case 108 -> LOOP;
            case 113 -> LINUX_SLL;
            case 276 -> LINUX_SLL2;
            default -> OTHER;
        };
    }
}

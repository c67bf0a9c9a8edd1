package dev.komainu.agent.packet;

/** Link-layer header type of a frame (the LINKTYPE registry of tcpdump.org). */
public enum LinkType {
    /** BSD loopback: address family in the writer's byte order. */
    NULL,
    /** OpenBSD loopback: address family in network order. */
    LOOP,
    ETHERNET,
    /** No link-layer header: the frame begins with the IP header. */
    RAW,
    /** Linux cooked, the {@code any} device. */
    LINUX_SLL,
    /** Linux cooked, version 2. */
    LINUX_SLL2,
    /** An unsupported type: its frames are counted, not decoded. */
    OTHER;

    /**
     * Returns the type.
     *
     * @param number LINKTYPE_ value of a file, or DLT_ value of libpcap
     */
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

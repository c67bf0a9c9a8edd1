package dev.komainu.agent.compare;

import dev.komainu.agent.packet.CaptureFile;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.FrameSink;
import dev.komainu.agent.packet.LinkType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * The frames of a capture, and what may happen to them on their way: each method gives new ones.
 */
record Frames(List<Frame> list) {

    static Frames read(Path capture) throws Exception {
        List<Frame> frames = new ArrayList<>();
        try (CaptureFile file = new CaptureFile(capture)) {
            file.run(new FrameSink() {
                @Override
                public void frame(
                        long micros,
                        LinkType link,
                        MemorySegment memory,
                        long offset,
                        int captured,
                        int length) {
                    byte[] bytes = new byte[captured];
                    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, bytes, 0, captured);
                    frames.add(new Frame(micros, link, bytes, length));
                }

                @Override
                public void idle(long micros) {}
            });
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return new Frames(frames);
    }

    private Frames each(UnaryOperator<Frame> change) {
        return new Frames(list.stream().map(change).toList());
    }

    private Frames sorted() {
        List<Frame> sorted = new ArrayList<>(list);
        sorted.sort(Comparator.comparingLong(Frame::micros));
        return new Frames(sorted);
    }

    Frames cutTo(int snaplen) {
        return each(frame -> frame.cutTo(snaplen));
    }

    /** Without the first part: connections are picked up midstream. */
    Frames withoutFirst(double part) {
        return new Frames(list.subList((int) (list.size() * part), list.size()));
    }

    /** The capture lost packets. */
    Frames losing(SplittableRandom random, int oneIn) {
        Reuses reuses = new Reuses(list);
        return new Frames(list.stream()
                .filter(frame -> random.nextInt(oneIn) > 0 || reuses.tellsApart(frame))
                .toList());
    }

    /** Packets come twice, the second some milliseconds later. */
    Frames doubling(SplittableRandom random, int oneIn) {
        Reuses reuses = new Reuses(list);
        List<Frame> more = new ArrayList<>(list);
        for (Frame frame : list) {
            if (random.nextInt(oneIn) == 0) {
                more.add(reuses.later(frame, random.nextInt(1, 20_000)));
            }
        }
        return new Frames(more).sorted();
    }

    /** Packets come later than those sent after them. */
    Frames delaying(SplittableRandom random, int oneIn, int mostMicros) {
        Reuses reuses = new Reuses(list);
        return each(frame -> random.nextInt(oneIn) > 0 || reuses.tellsApart(frame)
                        ? frame
                        : reuses.later(frame, random.nextInt(1, mostMicros)))
                .sorted();
    }

    /**
     * Which ports were used again, and when (Ethernet). A packet that comes after the SYN of the
     * next connection on its ports belongs to neither, and every tool has its own opinion; so no
     * packet is moved beyond that. Where the SYN of a next connection is missing or late, its
     * SYN/ACK with both numbers new tells us, but not tshark; so those stay.
     */
    private static final class Reuses {
        private final Map<String, TreeSet<Long>> syns = new HashMap<>();

        Reuses(List<Frame> frames) {
            for (Frame frame : frames) {
                int tcp = tcpAt(frame);
                if ((frame.bytes()[tcp + 13] & 0x12) == 2) {
                    syns.computeIfAbsent(ports(frame), key -> new TreeSet<>()).add(frame.micros());
                }
            }
        }

        boolean tellsApart(Frame frame) {
            return (frame.bytes()[tcpAt(frame) + 13] & 2) != 0
                    && syns.getOrDefault(ports(frame), new TreeSet<>()).size() > 1;
        }

        Frame later(Frame frame, int micros) {
            Long next = syns.getOrDefault(ports(frame), new TreeSet<>()).higher(frame.micros());
            return frame.at(
                    Math.min(frame.micros() + micros, next == null ? Long.MAX_VALUE : next - 1));
        }

        private static int tcpAt(Frame frame) {
            boolean six = (frame.bytes()[12] & 0xff) == 0x86;
            return 14 + (six ? 40 : (frame.bytes()[14] & 0xf) * 4);
        }

        private static String ports(Frame frame) {
            ByteBuffer bytes = ByteBuffer.wrap(frame.bytes());
            int tcp = tcpAt(frame);
            int one = bytes.getShort(tcp) & 0xffff;
            int other = bytes.getShort(tcp + 2) & 0xffff;
            return bytes.get(14) / 16 + " " + Math.min(one, other) + " " + Math.max(one, other);
        }
    }

    /** Puts a VLAN tag, or two, behind the addresses. */
    Frames tagged(int... types) {
        return each(frame -> {
            ByteBuffer tagged = ByteBuffer.allocate(frame.bytes().length + types.length * 4);
            tagged.put(frame.bytes(), 0, 12);
            for (int i = 0; i < types.length; i++) {
                tagged.putShort((short) types[i]).putShort((short) (100 + i));
            }
            tagged.put(frame.bytes(), 12, frame.bytes().length - 12);
            return new Frame(
                    frame.micros(),
                    LinkType.ETHERNET,
                    tagged.array(),
                    frame.length() + types.length * 4);
        });
    }

    /** From Ethernet to another link layer. */
    Frames as(LinkType link) {
        return each(frame -> {
            byte[] old = frame.bytes();
            boolean six = (old[12] & 0xff) == 0x86;
            ByteBuffer header = ByteBuffer.allocate(20);
            switch (link) {
                case RAW -> {}
                case NULL -> header.putInt(Integer.reverseBytes(six ? 30 : 2));
                case LINUX_SLL ->
                    header.putShort((short) 0)
                            .putShort((short) 1)
                            .putShort((short) 6)
                            .putLong(0)
                            .put(old, 12, 2);
                case LINUX_SLL2 ->
                    header.put(old, 12, 2)
                            .putShort((short) 0)
                            .putInt(2)
                            .putShort((short) 1)
                            .put((byte) 0)
                            .put((byte) 6)
                            .putLong(0);
                default -> throw new AssertionError(link);
            }
            return relinked(frame, link, header.flip(), 14);
        });
    }

    /** From SLL or SLL2, as the {@code any} device gives it, to Ethernet. */
    Frames asEthernet() {
        return each(frame -> {
            boolean two = frame.link() == LinkType.LINUX_SLL2;
            ByteBuffer header = ByteBuffer.allocate(14).position(12);
            header.put(frame.bytes(), two ? 0 : 14, 2).flip();
            return relinked(frame, LinkType.ETHERNET, header, two ? 20 : 16);
        });
    }

    private static Frame relinked(Frame frame, LinkType link, ByteBuffer header, int oldHeader) {
        int rest = frame.bytes().length - oldHeader;
        int grown = header.remaining() - oldHeader;
        byte[] bytes = ByteBuffer.allocate(header.remaining() + rest)
                .put(header)
                .put(frame.bytes(), oldHeader, rest)
                .array();
        return new Frame(frame.micros(), link, bytes, frame.length() + grown);
    }
}

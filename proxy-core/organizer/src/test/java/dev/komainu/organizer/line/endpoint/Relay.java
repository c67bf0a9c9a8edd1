package dev.komainu.organizer.line.endpoint;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;

/** A UDP relay between both ends that drops packets as configured. */
final class Relay implements AutoCloseable {

    private final DatagramSocket near =
            new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private final InetSocketAddress to;
    /** Sockets towards the far end, by sender. */
    private final Map<SocketAddress, DatagramSocket> far = new ConcurrentHashMap<>();

    private final IntPredicate loses;
    private volatile boolean dumb;
    private int packets;

    /**
     * Creates a relay.
     *
     * @param loses gets the number of each packet, in either direction, and returns whether it is
     *     dropped; on any thread, one call at a time
     */
    Relay(InetSocketAddress to, IntPredicate loses) throws IOException {
        this.to = to;
        this.loses = loses;
        Thread.startVirtualThread(this::there);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) near.getLocalSocketAddress();
    }

    void goDumb() {
        dumb = true;
    }

    private synchronized boolean isLost() {
        return dumb || loses.test(packets++);
    }

    private void there() {
        DatagramPacket packet = new DatagramPacket(new byte[2_048], 2_048);
        try {
            while (true) {
                packet.setLength(2_048);
                near.receive(packet);
                SocketAddress from = packet.getSocketAddress();
                DatagramSocket socket = far.get(from);
                if (socket == null) {
                    socket = new DatagramSocket(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                    far.put(from, socket);
                    DatagramSocket back = socket;
                    Thread.startVirtualThread(() -> back(back, from));
                }
                if (!isLost()) {
                    socket.send(new DatagramPacket(packet.getData(), packet.getLength(), to));
                }
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void back(DatagramSocket from, SocketAddress asker) {
        DatagramPacket packet = new DatagramPacket(new byte[2_048], 2_048);
        try {
            while (true) {
                packet.setLength(2_048);
                from.receive(packet);
                if (!isLost()) {
                    near.send(new DatagramPacket(packet.getData(), packet.getLength(), asker));
                }
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    @Override
    public void close() {
        near.close();
        far.values().forEach(DatagramSocket::close);
    }
}

package dev.komainu.intermediary.kit;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A name server with scripted records; all other names do not exist. */
public final class ScriptedDns implements AutoCloseable {

    private record Known(int ttlSeconds, List<InetAddress> addresses) {}

    private final DatagramSocket socket =
            new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private final Map<String, Known> names = new ConcurrentHashMap<>();
    private final AtomicInteger queries = new AtomicInteger();

    /** Responses wait until it is open. */
    private volatile CountDownLatch gate = new CountDownLatch(0);

    public ScriptedDns() throws IOException {
        Thread.ofVirtual().start(this::serve);
    }

    public int port() {
        return socket.getLocalPort();
    }

    public ScriptedDns answerAfter(CountDownLatch opened) {
        gate = opened;
        return this;
    }

    public int queries() {
        return queries.get();
    }

    public ScriptedDns resolve(String name, int ttlSeconds, String... literals) {
        List<InetAddress> addresses = new ArrayList<>();
        for (String literal : literals) {
            addresses.add(InetAddress.ofLiteral(literal));
        }
        names.put(name, new Known(ttlSeconds, addresses));
        return this;
    }

    private void serve() {
        byte[] room = new byte[1500];
        while (!socket.isClosed()) {
            try {
                DatagramPacket query = new DatagramPacket(room, room.length);
                socket.receive(query);
                queries.incrementAndGet();
                gate.await();
                byte[] answer = answer(room);
                socket.send(new DatagramPacket(answer, answer.length, query.getSocketAddress()));
            } catch (IOException | InterruptedException closed) {
                return;
            }
        }
    }

    /**
     * Returns a response by RFC 1035 section 4.1: the header, the question again, and a record for
     * each address of the requested family.
     */
    private byte[] answer(byte[] query) throws IOException {
        StringBuilder name = new StringBuilder();
        int at = 12;
        while (query[at] != 0) {
            name.append(name.isEmpty() ? "" : ".").append(new String(query, at + 1, query[at]));
            at += query[at] + 1;
        }
        int type = query[at + 1] << 8 | query[at + 2];
        Known known = names.get(name.toString().toLowerCase(java.util.Locale.ROOT));
        int length = type == 1 ? 4 : 16;
        List<InetAddress> matching = known == null
                ? List.of()
                : known.addresses().stream()
                        .filter(address -> address.getAddress().length == length)
                        .toList();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.write(query, 0, 2);
        out.writeShort(known == null ? 0x8183 : 0x8180);
        out.writeShort(1);
        out.writeShort(matching.size());
        out.writeInt(0);
        out.write(query, 12, at + 5 - 12);
        for (InetAddress address : matching) {
            out.writeShort(0xc00c);
            out.writeShort(type);
            out.writeShort(1);
            out.writeInt(known.ttlSeconds());
            out.writeShort(length);
            out.write(address.getAddress());
        }
        return bytes.toByteArray();
    }

    @Override
    public void close() {
        socket.close();
    }
}

package dev.komainu.organizer.line.endpoint;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server of bare frames: it answers the first connection's request with GOAWAY, last stream 0,
 * and later ones with 200.
 */
final class RawPeer implements AutoCloseable {

    private static final int PREFACE = 24;
    private static final int HEADERS = 1;
    private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};
    private static final byte[] SETTINGS_ACK = {0, 0, 0, 4, 1, 0, 0, 0, 0};
    private static final byte[] GOAWAY_0 = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    /** Entry 8 of HPACK's static table, {@code :status 200}. */
    private static final byte OK = (byte) 0x88;

    private static final byte[] HEAD_THAT_ENDS = {0, 0, 1, 1, 5};

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final AtomicInteger connections = new AtomicInteger();

    RawPeer() throws IOException {
        Thread.startVirtualThread(() -> {
            try {
                while (true) {
                    Socket client = listener.accept();
                    boolean first = connections.incrementAndGet() == 1;
                    Thread.startVirtualThread(() -> serve(client, first));
                }
            } catch (IOException e) {
                // The test is over.
            }
        });
    }

    private static void serve(Socket client, boolean first) {
        try (client) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            OutputStream out = client.getOutputStream();
            in.readNBytes(PREFACE);
            out.write(SETTINGS);
            out.write(SETTINGS_ACK);
            while (true) {
                int lengthAndType = in.readInt();
                in.readByte();
                int stream = in.readInt();
                in.readNBytes(lengthAndType >>> 8);
                if ((lengthAndType & 0xff) == HEADERS && first) {
                    out.write(GOAWAY_0);
                } else if ((lengthAndType & 0xff) == HEADERS) {
                    out.write(ByteBuffer.allocate(10)
                            .put(HEAD_THAT_ENDS)
                            .putInt(stream)
                            .put(OK)
                            .array());
                }
            }
        } catch (IOException e) {
            // The client left.
        }
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    int connections() {
        return connections.get();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}

package dev.komainu.agent;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * A synthetic capture file of plain HTTP connections for a training run of {@code analyze}. The
 * build runs this once: the JVM records the needed classes and methods, and later runs start with
 * this record (JEP 514, JEP 515).
 *
 * <pre>PracticeCapture FILE     writes FILE and analyses it</pre>
 */
final class PracticeCapture {

    private static final int CONNECTIONS = 12_000;
    private static final int AT_ONCE = 100;
    private static final int SYN = 2;
    private static final int ACK = 16;
    private static final int FIN = 1;
    private static final byte[] SERVER = {10, 0, 0, 80};
    private static final byte[] BODY = new byte[700];

    private final OutputStream out;
    private final Random random = new Random(7);
    private final ByteBuffer packet = ByteBuffer.allocate(2_048);
    private long micros = 1_790_000_000_000_000L;

    private PracticeCapture(OutputStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws IOException {
        try (OutputStream out =
                new BufferedOutputStream(Files.newOutputStream(Path.of(args[0])), 1 << 16)) {
            new PracticeCapture(out).write();
        }
        PrintStream discard =
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        Analyze.run(discard, System.err, args[0]);
        Analyze.run(discard, System.err, "--json", args[0]);
    }

    private void write() throws IOException {
        packet.order(ByteOrder.LITTLE_ENDIAN);
        packet.putInt(0xa1b2c3d4)
                .putShort((short) 2)
                .putShort((short) 4)
                .putLong(0)
                .putInt(65_535)
                .putInt(1);
        end();
        for (int first = 0; first < CONNECTIONS; first += AT_ONCE) {
            Client[] clients = new Client[AT_ONCE];
            for (int i = 0; i < AT_ONCE; i++) {
                clients[i] = new Client(first + i);
                clients[i].send(true, SYN, new byte[0]);
                clients[i].send(false, SYN | ACK, new byte[0]);
                clients[i].send(true, ACK, new byte[0]);
            }
            for (int requests = 1 + random.nextInt(6); requests > 0; requests--) {
                for (Client client : clients) {
                    client.exchange();
                }
            }
            for (Client client : clients) {
                client.send(true, FIN | ACK, new byte[0]);
                client.send(false, FIN | ACK, new byte[0]);
                client.send(true, ACK, new byte[0]);
            }
        }
    }

    private final class Client {
        private final byte[] address;
        private final int port;
        private int up = random.nextInt();
        private int down = random.nextInt();

        Client(int number) {
            address = new byte[] {10, 9, (byte) (number >> 8), (byte) number};
            port = 20_000 + number % 30_000;
        }

        void exchange() throws IOException {
            boolean chunked = random.nextInt(8) == 0;
            int segments = random.nextInt(3);
            send(
                    true,
                    ACK,
                    text("GET /item/" + random.nextInt(997)
                            + "?q=1 HTTP/1.1\r\nHost: example.test\r\nUser-Agent: practice/1\r\n"
                            + "Accept: */*\r\nAccept-Encoding: gzip\r\nCookie: a=b\r\n\r\n"));
            String head =
                    "HTTP/1.1 200 OK\r\nDate: Mon, 21 Sep 2026 14:13:20 GMT\r\nContent-Type: text/html\r\n";
            if (chunked) {
                send(
                        false,
                        ACK,
                        text(head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"));
            } else {
                send(
                        false,
                        ACK,
                        text(head + "Content-Length: " + segments * BODY.length + "\r\n\r\n"));
                for (int i = 0; i < segments; i++) {
                    send(false, ACK, BODY);
                }
            }
            send(true, ACK, new byte[0]);
        }

        private void send(boolean fromClient, int flags, byte[] payload) throws IOException {
            int length = 54 + payload.length;
            micros += 1 + random.nextInt(30);
            packet.order(ByteOrder.LITTLE_ENDIAN);
            packet.putInt((int) (micros / 1_000_000)).putInt((int) (micros % 1_000_000));
            packet.putInt(length).putInt(length);
            packet.order(ByteOrder.BIG_ENDIAN);
            packet.putLong(0x0200_0000_0001_0200L).putInt(2).putShort((short) 0x0800);
            packet.putShort((short) 0x4500)
                    .putShort((short) (40 + payload.length))
                    .putInt(0x4000);
            packet.putInt(0x4006_0000)
                    .put(fromClient ? address : SERVER)
                    .put(fromClient ? SERVER : address);
            packet.putShort((short) (fromClient ? port : 80))
                    .putShort((short) (fromClient ? 80 : port));
            packet.putInt(fromClient ? up : down).putInt(fromClient ? down : up);
            packet.put((byte) 0x50).put((byte) flags).putShort((short) 64_000).putInt(0);
            packet.put(payload);
            int taken = payload.length + ((flags & (SYN | FIN)) != 0 ? 1 : 0);
            if (fromClient) {
                up += taken;
            } else {
                down += taken;
            }
            end();
        }
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private void end() throws IOException {
        out.write(packet.array(), 0, packet.position());
        packet.clear();
    }
}

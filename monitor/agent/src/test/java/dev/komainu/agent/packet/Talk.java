package dev.komainu.agent.packet;

import dev.komainu.telemetry.record.Endpoint;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Builder of a TCP conversation, packet by packet, 1 ms apart, with the sequence numbers of both
 * sides; the frames may then be dropped, duplicated or reordered.
 */
public final class Talk {

    public static final int FIN = TcpSegment.FIN;
    public static final int SYN = TcpSegment.SYN;
    public static final int RST = TcpSegment.RST;
    public static final int ACK = TcpSegment.ACK;
    public static final long START = 1_700_000_000_000_000L;

    private final Endpoint client;
    private final Endpoint server;
    private final List<Frame> frames;
    public int clientNext;
    public int serverNext;
    public long micros;
    public int window = 1_000;

    public Talk(String client, String server, int clientIsn, int serverIsn, List<Frame> frames) {
        this.client = Endpoint.parse(client);
        this.server = Endpoint.parse(server);
        this.clientNext = clientIsn;
        this.serverNext = serverIsn;
        this.frames = frames;
        this.micros = START;
    }

    public Talk() {
        this("10.0.0.1:40000", "10.0.0.2:80", 1_000, 9_000, new ArrayList<>());
    }

    public List<Frame> frames() {
        return frames;
    }

    public Frame last() {
        return frames.getLast();
    }

    public Talk pause(long moreMicros) {
        micros += moreMicros;
        return this;
    }

    /** Adds a packet with the next numbers; payload, SYN and FIN advance them. */
    public Talk up(int flags, String payload) {
        send(true, flags, clientNext, serverNext, payload);
        clientNext += length(flags, payload);
        return this;
    }

    public Talk down(int flags, String payload) {
        send(false, flags, serverNext, clientNext, payload);
        serverNext += length(flags, payload);
        return this;
    }

    /** Adds a packet with any numbers; advances none. */
    public Talk send(boolean up, int flags, int sequence, int acknowledgement, String payload) {
        Endpoint from = up ? client : server;
        Endpoint to = up ? server : client;
        byte[] tcp = tcp(
                from.port(),
                to.port(),
                sequence,
                (flags & ACK) == 0 ? 0 : acknowledgement,
                flags,
                window,
                payload.getBytes(StandardCharsets.ISO_8859_1));
        frames.add(new Frame(micros, LinkType.ETHERNET, ethernet(ip(from, to, tcp))));
        micros += 1_000;
        return this;
    }

    public Talk handshake() {
        return up(SYN, "").down(SYN | ACK, "").up(ACK, "");
    }

    public Talk request(String payload) {
        return up(ACK, payload);
    }

    public Talk answer(String payload) {
        return down(ACK, payload);
    }

    public Talk get(String target) {
        return request("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    }

    public Talk ok(String body) {
        return answer("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    /** Adds FIN, ACK, FIN, ACK. */
    public Talk closeByClient() {
        return up(FIN | ACK, "").down(ACK, "").down(FIN | ACK, "").up(ACK, "");
    }

    public Talk closeByServer() {
        return down(FIN | ACK, "").up(ACK, "").up(FIN | ACK, "").down(ACK, "");
    }

    private static int length(int flags, String payload) {
        return payload.length() + ((flags & SYN) != 0 ? 1 : 0) + ((flags & FIN) != 0 ? 1 : 0);
    }

    public static byte[] tcp(
            int from,
            int to,
            int sequence,
            int acknowledgement,
            int flags,
            int window,
            byte[] payload) {
        byte[] options =
                (flags & SYN) != 0 ? new byte[] {2, 4, 5, (byte) 0xb4, 1, 3, 3, 7} : new byte[0];
        ByteBuffer tcp = ByteBuffer.allocate(20 + options.length + payload.length);
        tcp.putShort((short) from).putShort((short) to).putInt(sequence).putInt(acknowledgement);
        tcp.put((byte) ((20 + options.length) / 4 << 4))
                .put((byte) flags)
                .putShort((short) window)
                .putInt(0);
        return tcp.put(options).put(payload).array();
    }

    public static byte[] ip(Endpoint from, Endpoint to, byte[] tcp) {
        byte[] source = from.address().getAddress();
        byte[] target = to.address().getAddress();
        if (source.length == 4) {
            ByteBuffer ip = ByteBuffer.allocate(20 + tcp.length);
            ip.put((byte) 0x45)
                    .put((byte) 0)
                    .putShort((short) (20 + tcp.length))
                    .putInt(0x4000);
            ip.put((byte) 64).put((byte) 6).putShort((short) 0).put(source).put(target);
            return ip.put(tcp).array();
        }
        ByteBuffer ip = ByteBuffer.allocate(40 + tcp.length);
        ip.putInt(0x60000000)
                .putShort((short) tcp.length)
                .put((byte) 6)
                .put((byte) 64)
                .put(source)
                .put(target);
        return ip.put(tcp).array();
    }

    public static byte[] ethernet(byte[] ip) {
        ByteBuffer frame = ByteBuffer.allocate(14 + ip.length);
        frame.putInt(0x02000000).putInt(0x00010200).putInt(0x00000002);
        frame.putShort((short) ((ip[0] >> 4 & 0xf) == 4 ? 0x0800 : 0x86dd));
        return frame.put(ip).array();
    }
}

package dev.komainu.agent.packet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.summary.Analysis;
import dev.komainu.telemetry.record.ConnectionRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/**
 * The same conversation behind every link layer gives the same record; random bytes cause no
 * exception.
 */
class FrameDecoderTest {

    private final Talk talk =
            new Talk().handshake().get("/").ok("x".repeat(999)).closeByClient();
    private final ConnectionRecord expected = Analysis.of(talk.frames()).connection();

    @Test
    void frame_everyLinkLayer_sameRecord() {
        assertThat(behind(LinkType.RAW, ip -> ip)).isEqualTo(expected);
        assertThat(behind(LinkType.LINUX_SLL, ip -> join(header(16, 14, 0x0800), ip)))
                .isEqualTo(expected);
        assertThat(behind(LinkType.LINUX_SLL2, ip -> join(header(20, 0, 0x0800), ip)))
                .isEqualTo(expected);
        assertThat(behind(LinkType.NULL, ip -> join(new byte[] {2, 0, 0, 0}, ip)))
                .isEqualTo(expected);
        assertThat(behind(LinkType.LOOP, ip -> join(new byte[] {0, 0, 0, 2}, ip)))
                .isEqualTo(expected);
        // VLAN, then QinQ.
        assertThat(behind(LinkType.ETHERNET, ip -> join(header(18, 12, 0x8100, 16, 0x0800), ip)))
                .isEqualTo(expected);
        assertThat(behind(
                        LinkType.ETHERNET,
                        ip -> join(header(22, 12, 0x88a8, 16, 0x8100, 20, 0x0800), ip)))
                .isEqualTo(expected);
        // Padding of the frame is no payload.
        assertThat(behind(
                        LinkType.ETHERNET,
                        ip -> join(join(header(14, 12, 0x0800), ip), new byte[6])))
                .isEqualTo(expected);
    }

    @Test
    void frame_ipOptionsAndOffload_sameRecordButTheOptionsBytes() {
        ConnectionRecord options = behind(LinkType.RAW, ip -> {
            byte[] longer = join(
                    join(Arrays.copyOf(ip, 20), new byte[] {1, 1, 1, 0}),
                    Arrays.copyOfRange(ip, 20, ip.length));
            longer[0] = 0x46;
            ByteBuffer.wrap(longer).putShort(2, (short) longer.length);
            return longer;
        });
        assertThat(options.down().uniqueBytes()).isEqualTo(expected.down().uniqueBytes());
        assertThat(options.down().wireBytes())
                .isEqualTo(expected.down().wireBytes() + 4 * expected.down().packets());
        assertThat(behind(LinkType.RAW, ip -> {
                    byte[] offloaded = ip.clone();
                    offloaded[2] = 0;
                    offloaded[3] = 0;
                    return offloaded;
                }))
                .isEqualTo(expected);
    }

    @Test
    void frame_ipv6WithExtensions_isRead() {
        Talk six = new Talk("[2001:db8::1]:40000", "[::2]:80", 1, 2, new ArrayList<>());
        six.handshake().get("/").ok("y").closeByServer();
        ConnectionRecord plain = Analysis.of(six.frames()).connection();
        assertThat(plain.client()).hasToString("[2001:db8::1]:40000");
        assertThat(plain.exchanges()).hasSize(1);
        List<Frame> extended = six.frames().stream()
                .map(frame -> {
                    byte[] ip = Arrays.copyOfRange(frame.bytes(), 14, frame.bytes().length);
                    // A hop-by-hop header of 8 bytes, then TCP.
                    byte[] longer = join(
                            join(Arrays.copyOf(ip, 40), new byte[] {6, 0, 1, 4, 0, 0, 0, 0}),
                            Arrays.copyOfRange(ip, 40, ip.length));
                    longer[6] = 0;
                    ByteBuffer.wrap(longer).putShort(4, (short) (longer.length - 40));
                    return new Frame(frame.micros(), LinkType.RAW, longer);
                })
                .toList();
        assertThat(Analysis.of(extended).connection().exchanges()).isEqualTo(plain.exchanges());
    }

    @Test
    void frame_laterFragment_isCountedNotRead() {
        List<Frame> frames = new ArrayList<>(talk.frames());
        byte[] fragment = frames.get(3).bytes().clone();
        fragment[14 + 6] = 0;
        fragment[14 + 7] = 9;
        frames.add(new Frame(talk.micros, LinkType.ETHERNET, fragment));
        Analysis analysis = Analysis.of(frames);
        assertThat(analysis.connection()).isEqualTo(expected);
        assertThat(analysis.drops())
                .anySatisfy(drop -> assertThat(drop.reason()).isEqualTo("later-fragment"));
    }

    @Property(tries = 500)
    void frame_anyBytes_nothingIsThrown(
            @ForAll @Size(max = 120) byte[] bytes, @ForAll LinkType link) {
        Analysis.of(List.of(new Frame(1, link, bytes, bytes.length * 2)));
    }

    @Property(tries = 300)
    void frames_damagedAnywhere_nothingIsThrownAndRecordsStayBounded(
            @ForAll @Size(max = 30) List<Integer> damage) {
        List<Frame> frames = new ArrayList<>(talk.frames());
        for (int change : damage) {
            int at = Math.floorMod(change >>> 20, frames.size());
            byte[] bytes = frames.get(at).bytes().clone();
            bytes[Math.floorMod(change >>> 8 & 0xfff, Math.min(bytes.length, 120))] = (byte) change;
            frames.set(at, new Frame(frames.get(at).micros(), LinkType.ETHERNET, bytes));
        }
        Analysis analysis =
                Analysis.of(frames, AnalyzerConfig.file(Set.of(80)).withMaxConnections(3));
        assertThat(analysis.connections()).hasSizeLessThanOrEqualTo(frames.size());
    }

    private ConnectionRecord behind(LinkType link, UnaryOperator<byte[]> wrap) {
        List<Frame> frames = talk.frames().stream()
                .map(frame -> new Frame(
                        frame.micros(),
                        link,
                        wrap.apply(Arrays.copyOfRange(frame.bytes(), 14, frame.bytes().length))))
                .toList();
        return Analysis.of(frames).connection();
    }

    /** Returns a header of zeros with 16-bit values at the given places. */
    private static byte[] header(int length, int... placeAndValue) {
        ByteBuffer header = ByteBuffer.allocate(length);
        for (int i = 0; i < placeAndValue.length; i += 2) {
            header.putShort(placeAndValue[i], (short) placeAndValue[i + 1]);
        }
        return header.array();
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}

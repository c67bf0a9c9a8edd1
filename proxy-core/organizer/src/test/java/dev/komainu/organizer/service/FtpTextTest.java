package dev.komainu.organizer.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The addresses, lines and replies of FTP: in both directions, in pieces, and broken. */
class FtpTextTest {

    private static InetSocketAddress address(byte[] host, int port) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByAddress(host), port);
    }

    @Property(tries = 300)
    void addressOfFour_isReadAsItIsWritten(
            @ForAll @Size(4) byte[] host, @ForAll @IntRange(min = 1, max = 65_535) int port)
            throws Exception {
        InetSocketAddress any = address(host, port);
        assertThat(FtpAddress.ofPort(FtpAddress.six(any))).isEqualTo(any);
        assertThat(FtpAddress.ofEprt(FtpAddress.extended(any))).isEqualTo(any);
        assertThat(FtpAddress.portOf227(" Entering Passive Mode (" + FtpAddress.six(any) + ")."))
                .isEqualTo(port);
        assertThat(FtpAddress.portOf229(" Entering Extended Passive Mode (|||" + port + "|)"))
                .isEqualTo(port);
    }

    @Property(tries = 300)
    void addressOfSix_isReadAsItIsWritten(
            @ForAll @Size(16) byte[] host, @ForAll @IntRange(min = 1, max = 65_535) int port)
            throws Exception {
        InetSocketAddress any = address(host, port);
        if (any.getAddress().getAddress().length == 16) {
            assertThat(FtpAddress.ofEprt(FtpAddress.extended(any))).isEqualTo(any);
        }
    }

    @Property(tries = 500)
    void anyText_isAnAddressOrNone(@ForAll String text) {
        FtpAddress.ofPort(text);
        FtpAddress.ofEprt(text);
        assertThat(FtpAddress.portOf227(text)).isBetween(0, 65_535);
        assertThat(FtpAddress.portOf229(text)).isBetween(0, 65_535);
    }

    @Test
    void addresses_outOfRangeOrOfTheOtherFamily_areNone() {
        assertThat(FtpAddress.ofPort("127,0,0,256,1,1")).isNull();
        assertThat(FtpAddress.ofPort("127,0,0,1,0,0")).isNull();
        assertThat(FtpAddress.ofPort("127,0,0,1,1")).isNull();
        assertThat(FtpAddress.ofEprt("|1|127.0.0.1|65536|")).isNull();
        assertThat(FtpAddress.ofEprt("|2|127.0.0.1|2000|")).isNull();
        assertThat(FtpAddress.ofEprt("|1|::1|2000|")).isNull();
        assertThat(FtpAddress.ofEprt("|1|localhost|2000|")).isNull();
        assertThat(FtpAddress.portOf229(" (||x|2000|)")).isZero();
    }

    /** RFC 959 section 4.2: a line inside a multi-line reply is not a reply. */
    @Test
    void answerOfSeveralLines_isOneAnswer() {
        FtpReplyParser replies = new FtpReplyParser();
        List<Integer> codes = new ArrayList<>();
        for (String line : List.of(
                "220-Welcome",
                "227 Entering Passive Mode (1,2,3,4,5,6)",
                " 220 not yet",
                "220",
                "230-x",
                "230-y",
                "230 z",
                "no answer",
                "227 x")) {
            codes.add(replies.next(line));
        }
        assertThat(codes).containsExactly(0, 0, 0, 220, 0, 0, 230, 0, 227);
    }

    @Property(tries = 300)
    void linesInPieces_comeOutWhole(
            @ForAll @Size(max = 30) List<@IntRange(min = 1, max = 90) Integer> pieces) {
        String text = "USER a\r\nPASS b\nSTOR c d\r\n\r\n" + "RETR x".repeat(20) + "\r\nrest";
        ByteBuf all = Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
        FtpLineSplitter lines = new FtpLineSplitter();
        StringBuilder out = new StringBuilder();
        for (int piece : pieces) {
            lines.add(all.readRetainedSlice(Math.min(piece, all.readableBytes())));
            assertThat(lines.split(line -> {
                        out.append(line.toString(StandardCharsets.ISO_8859_1));
                        line.release();
                        return true;
                    }))
                    .isTrue();
        }
        lines.add(all.readRetainedSlice(all.readableBytes()));
        lines.split(line -> {
            out.append(line.toString(StandardCharsets.ISO_8859_1));
            line.release();
            return true;
        });
        lines.release();
        all.release();
        assertThat(out + "rest").isEqualTo(text);
    }

    @Test
    void lineWithoutEnd_isRefused() {
        FtpLineSplitter lines = new FtpLineSplitter();
        lines.add(Unpooled.wrappedBuffer(new byte[FtpLineSplitter.MAX_LINE - 1]));
        assertThat(lines.split(line -> true)).isTrue();
        lines.add(Unpooled.wrappedBuffer(new byte[1]));
        assertThat(lines.split(line -> true)).isFalse();
    }
}

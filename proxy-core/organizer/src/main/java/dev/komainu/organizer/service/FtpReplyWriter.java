package dev.komainu.organizer.service;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What an FTP client hears, in its order: the server's answers, some of them in other words, and
 * those of this end, each when the server has answered what the client asked before (RFC 959
 * section 5.4).
 */
final class FtpReplyWriter {

    /** What is said instead of a server's answer. */
    interface Instead {

        /** @param text all of its last line but the end @return null: it passes */
        @Nullable
        String of(int code, String text);
    }

    private final Instead instead;
    private final FtpLineSplitter lines = new FtpLineSplitter();
    private final FtpReplyParser replies = new FtpReplyParser();
    private final Deque<Own> own = new ArrayDeque<>(2);
    /** Commands that went on and whose last answer has not come; the greeting counts. */
    private int unanswered = 1;

    /** An answer of this end, behind so many of the server's. */
    private static final class Own {
        private final String text;
        private int behind;

        Own(String text, int behind) {
            this.text = text;
            this.behind = behind;
        }
    }

    FtpReplyWriter(Instead instead) {
        this.instead = instead;
    }

    /** A line as it is sent. */
    static ByteBuf bytes(String line) {
        return Unpooled.wrappedBuffer((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    /** A command goes to the server. */
    void asked() {
        unanswered++;
    }

    /**
     * The server says more.
     *
     * @param bytes taken over
     * @param out hears what the client is told
     * @return false: no FTP
     */
    boolean heard(ByteBuf bytes, Consumer<ByteBuf> out) {
        lines.add(bytes);
        return lines.cut(line -> {
            String text = FtpLineSplitter.text(line);
            int code = replies.next(text);
            String other = code == 0 ? null : instead.of(code, text);
            if (other == null) {
                out.accept(line);
            } else {
                line.release();
                out.accept(bytes(other));
            }
            // 1xx is told before the answer proper (RFC 959 section 4.2).
            if (code >= 200) {
                unanswered = Math.max(0, unanswered - 1);
                own.forEach(waits -> waits.behind--);
                sayOwn(out);
            }
            return true;
        });
    }

    /** This end answers the last command; the server does not hear of it. */
    void say(String text, Consumer<ByteBuf> out) {
        own.add(new Own(text, unanswered));
        sayOwn(out);
    }

    private void sayOwn(Consumer<ByteBuf> out) {
        while (!own.isEmpty() && own.peek().behind <= 0) {
            out.accept(bytes(own.remove().text));
        }
    }

    void release() {
        lines.release();
    }
}

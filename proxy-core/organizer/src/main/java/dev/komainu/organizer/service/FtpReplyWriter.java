package dev.komainu.organizer.service;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The replies to an FTP client, in order: the server's replies, some of them rewritten, and the
 * replies of this end. A reply of this end is sent after the server has answered all earlier
 * commands (RFC 959 section 5.4).
 */
final class FtpReplyWriter {

    /** Replaces a server's reply. */
    interface ReplyRewriter {

        /**
         * Returns the replacement; null: the reply stays unchanged.
         *
         * @param text the last line of the reply without its end
         */
        @Nullable
        String rewrite(int code, String text);
    }

    private final ReplyRewriter rewriter;
    private final FtpLineSplitter lines = new FtpLineSplitter();
    private final FtpReplyParser replies = new FtpReplyParser();
    private final Deque<OwnReply> ownReplies = new ArrayDeque<>(2);
    /**
     * Commands forwarded to the server whose final reply is outstanding; the greeting counts as
     * one.
     */
    private int unanswered = 1;

    /** A reply of this end, and the number of server replies that come before it. */
    private static final class OwnReply {
        private final String text;
        private int serverReplies;

        OwnReply(String text, int serverReplies) {
            this.text = text;
            this.serverReplies = serverReplies;
        }
    }

    FtpReplyWriter(ReplyRewriter rewriter) {
        this.rewriter = rewriter;
    }

    /** Returns the bytes of a line. */
    static ByteBuf bytes(String line) {
        return Unpooled.wrappedBuffer((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Records that a command is forwarded to the server. */
    void commandSent() {
        unanswered++;
    }

    /**
     * Processes bytes of the server.
     *
     * @param bytes ownership is transferred
     * @param out receives the lines for the client
     * @return false: the bytes are not FTP
     */
    boolean serverData(ByteBuf bytes, Consumer<ByteBuf> out) {
        lines.add(bytes);
        return lines.split(line -> {
            String text = FtpLineSplitter.text(line);
            int code = replies.next(text);
            String replacement = code == 0 ? null : rewriter.rewrite(code, text);
            if (replacement == null) {
                out.accept(line);
            } else {
                line.release();
                out.accept(bytes(replacement));
            }
            // 1xx is a preliminary reply (RFC 959 section 4.2).
            if (code >= 200) {
                unanswered = Math.max(0, unanswered - 1);
                ownReplies.forEach(waiting -> waiting.serverReplies--);
                writeOwn(out);
            }
            return true;
        });
    }

    /** Replies to the last command, which is not forwarded to the server. */
    void reply(String text, Consumer<ByteBuf> out) {
        ownReplies.add(new OwnReply(text, unanswered));
        writeOwn(out);
    }

    private void writeOwn(Consumer<ByteBuf> out) {
        while (!ownReplies.isEmpty() && ownReplies.peek().serverReplies <= 0) {
            out.accept(bytes(ownReplies.remove().text));
        }
    }

    void release() {
        lines.release();
    }
}

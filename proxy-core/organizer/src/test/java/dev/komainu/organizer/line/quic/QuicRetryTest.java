package dev.komainu.organizer.line.quic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.LineAddress;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.connection.LineConnection;
import dev.komainu.organizer.line.connection.LineConnector;
import dev.komainu.organizer.member.Credentials;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server in the middle of a flood of handshakes: a real peer still connects, by a Retry. */
class QuicRetryTest {

    @TempDir
    Path directory;

    /** The owner of a connection that is only dialled. */
    private static final class Caller implements LineConnector.Caller {

        private final CompletableFuture<String> outcome = new CompletableFuture<>();

        @Override
        public void dialled(LineConnection made) {
            outcome.complete("dialled");
        }

        @Override
        public void failed(String why) {
            outcome.complete(why);
        }

        @Override
        public void ready(LineConnection connection) {}

        @Override
        public void streamClosed(LineConnection connection) {}

        @Override
        public void draining(LineConnection connection) {}

        @Override
        public void lingerTimedOut(LineConnection connection) {}

        @Override
        public void gone(LineConnection connection, String why) {}

        @Override
        public StreamListener requested(
                LineConnection connection, Http2Headers head, boolean ends, LineStream stream) {
            return StreamListener.NOBODY;
        }
    }

    @Test
    void handshakesBeyondTheLimit_completeByATokenOfTheServer() throws Exception {
        Credentials shared = Credentials.ofSecret(
                Files.writeString(directory.resolve("secret"), "zJ4kWq8vN2xR7tBm5pLs9dFg3hYc6uEa"),
                "test");
        LineTls tls = new LineTls(shared.tls(), shared.keys(), shared.trust());
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            List<Channel> ports = QuicTransport.listen(
                    loops,
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    LineSettings.DEFAULT,
                    tls,
                    () -> accepted -> {},
                    () -> {},
                    // Every handshake is beyond it.
                    0);
            InetSocketAddress bound = (InetSocketAddress) ports.getFirst().localAddress();
            Caller caller = new Caller();
            QuicTransport.dialling(
                            loops.next(),
                            new LineAddress(bound.getAddress(), bound.getPort(), "peer"),
                            LineSettings.DEFAULT,
                            tls)
                    .dial(caller);
            assertThat(caller.outcome.get(60, TimeUnit.SECONDS)).isEqualTo("dialled");
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }
}

package dev.komainu.bench.engine;

import dev.komainu.proxy.tls.CertificateFiles;
import dev.komainu.proxy.tls.Certificates;
import dev.komainu.proxy.tls.ClientTlsSettings;
import dev.komainu.proxy.tls.TlsEngine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The bytes that BoringSSL allocates for each connection of the proxy: the proxy's own TLS handlers
 * in channels without sockets, clients of Java's engine, which allocates on the heap only, TLS 1.3,
 * and the growth of glibc's allocated bytes (mallinfo2) in between. Apart from the JVM's own
 * threads, no other thread of this program allocates native memory meanwhile.
 *
 * <p>EngineMemory CONNECTIONS CHAIN KEY: prints {@code {"handshake":N,"response":N}}, the bytes of
 * each connection after its handshake, and after a response of 10 KB.
 */
public final class EngineMemory {

    private static final int WARM = 500;
    private static final int BODY = 10240;
    /** The members of mallinfo2, all of size_t (mallinfo(3)). */
    private static final int MEMBERS = 10;

    private static final int MAPPED = 4;
    private static final int IN_USE = 7;

    private EngineMemory() {}

    private record Pair(EmbeddedChannel server, EmbeddedChannel client) {}

    public static void main(String[] args) throws Throwable {
        int connections = Integer.parseInt(args[0]);
        ClientTlsSettings settings = new ClientTlsSettings(
                null,
                List.of(new CertificateFiles(Path.of(args[1]), Path.of(args[2]))),
                Set.of("1.3"),
                TlsEngine.NATIVE,
                Duration.ofSeconds(10));
        SslContext client = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .protocols("TLSv1.3")
                .build();
        try (Certificates certificates = Certificates.open(settings, List.of("http/1.1"))) {
            List<Pair> pairs = new ArrayList<>();
            open(WARM, certificates, client, pairs);
            respond(pairs);
            long before = allocated();
            open(connections, certificates, client, pairs);
            long shaken = allocated();
            respond(pairs);
            long responded = allocated();
            if (pairs.size() != WARM + connections) {
                throw new IllegalStateException("connections: " + pairs.size());
            }
            System.out.println("{\"handshake\":" + (shaken - before) / connections
                    + ",\"response\":" + (responded - before) / connections + "}");
        }
    }

    private static void open(
            int count, Certificates certificates, SslContext context, List<Pair> to) {
        for (int i = 0; i < count; i++) {
            EmbeddedChannel server = new EmbeddedChannel();
            server.config().setAllocator(UnpooledByteBufAllocator.DEFAULT);
            certificates.begin(server.pipeline(), server.alloc());
            EmbeddedChannel client =
                    new EmbeddedChannel(context.newHandler(UnpooledByteBufAllocator.DEFAULT));
            Pair pair = new Pair(server, client);
            exchange(pair);
            to.add(pair);
        }
    }

    private static void respond(List<Pair> pairs) {
        for (Pair pair : pairs) {
            pair.server().writeOutbound(pair.server().alloc().buffer(BODY).writeZero(BODY));
            exchange(pair);
            int received = 0;
            for (ByteBuf part = pair.client().readInbound();
                    part != null;
                    part = pair.client().readInbound()) {
                received += part.readableBytes();
                part.release();
            }
            if (received != BODY) {
                throw new IllegalStateException(
                        "response: " + received + " bytes (expected: " + BODY + ")");
            }
        }
    }

    /** Passes bytes in both directions until neither side has any. */
    private static void exchange(Pair pair) {
        boolean any = true;
        while (any) {
            boolean requested = move(pair.client(), pair.server());
            any = move(pair.server(), pair.client()) || requested;
        }
    }

    private static boolean move(EmbeddedChannel from, EmbeddedChannel to) {
        from.runPendingTasks();
        boolean any = false;
        for (ByteBuf bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
            any = true;
            to.writeInbound(bytes);
        }
        return any;
    }

    /** Returns the bytes that glibc's allocator has given out. */
    private static long allocated() throws Throwable {
        Linker linker = Linker.nativeLinker();
        MethodHandle mallinfo = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("mallinfo2"),
                FunctionDescriptor.of(MemoryLayout.structLayout(
                        MemoryLayout.sequenceLayout(MEMBERS, ValueLayout.JAVA_LONG))));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment told = (MemorySegment) mallinfo.invokeExact((SegmentAllocator) arena);
            return told.getAtIndex(ValueLayout.JAVA_LONG, MAPPED)
                    + told.getAtIndex(ValueLayout.JAVA_LONG, IN_USE);
        }
    }
}

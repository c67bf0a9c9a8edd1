package dev.komainu.proxy;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.purge.PurgeLog;
import dev.komainu.organizer.Organizer;
import dev.komainu.organizer.OrganizerSettings;
import dev.komainu.organizer.front.ProxyEmbedding;
import dev.komainu.organizer.report.ReportSink;
import dev.komainu.proxy.acceptor.Acceptor;
import dev.komainu.proxy.exchange.ExchangeServices;
import dev.komainu.proxy.exchange.LoopContext;
import dev.komainu.proxy.exchange.MemberStream;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * This proxy as a member of its cluster: other members send requests to it, and it sends requests
 * to them.
 */
final class MemberComponent implements Component<ProxySettings> {

    private final OrganizerSettings settings;
    private final EventLoopComponent loops;
    private final @Nullable ReportSink sink;
    private @Nullable Organizer organizer;

    /**
     * Creates the component.
     *
     * @param sink the sink for reports on the cluster; null for none
     */
    MemberComponent(
            OrganizerSettings settings, EventLoopComponent loops, @Nullable ReportSink sink) {
        this.settings = settings;
        this.loops = loops;
        this.sink = sink;
    }

    Organizer get() {
        return Objects.requireNonNull(organizer);
    }

    @Override
    public void open() throws IOException {
        Acceptor acceptor = loops.acceptor();
        ExchangeServices shared = loops.services();
        IdentityHashMap<EventLoop, LoopContext> contexts = new IdentityHashMap<>();
        acceptor.contexts().forEach(context -> contexts.put(context.loop(), context));
        Organizer joined = Organizer.inside(
                settings,
                new ProxyEmbedding(
                        acceptor.loops(),
                        (head, ends, stream, peer) -> MemberStream.accept(
                                Objects.requireNonNull(contexts.get(stream.loop())),
                                head,
                                ends,
                                stream,
                                peer),
                        settings.share(),
                        new PurgeLog(
                                settings.membership().member() + "@"
                                        + shared.clock().wallMillis(),
                                shared.clock()::steadyMillis),
                        shared.purger()::carryOutHere),
                sink);
        organizer = joined;
        shared.purger().propagateBy(joined.purgePropagation());
        contexts.forEach(
                (loop, context) -> loop.execute(() -> context.setCluster(joined.upstream(loop))));
    }

    @Override
    public void close() {
        get().close();
    }
}

package dev.komainu.organizer.front;

import dev.komainu.intermediary.purge.PurgeLog;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.organizer.line.StreamAcceptor;
import io.netty.channel.EventLoopGroup;
import java.util.function.Consumer;

/**
 * The proxy in which a member is embedded.
 *
 * @param loops its event loops, epoll or NIO; the organizer does not shut them down
 * @param acceptor accepts the requests to this member that none of its servers serves
 * @param share settings for its part in the cluster's caches
 * @param purges its log of purges
 * @param purger carries out an order of another member; not called on an event loop
 */
public record ProxyEmbedding(
        EventLoopGroup loops,
        StreamAcceptor acceptor,
        ShareSettings share,
        PurgeLog purges,
        Consumer<PurgeOrder> purger) {}

package dev.komainu.organizer.front;

import dev.komainu.intermediary.purge.PurgeLog;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.organizer.line.StreamAcceptor;
import io.netty.channel.EventLoopGroup;
import java.util.function.Consumer;

/**
 * The proxy that a member is inside of.
 *
 * @param loops its event loops, of epoll or of Java's selector: nobody here ends them
 * @param answers what is asked of this member, and none of its servers serves
 * @param share its part in the cluster's caches
 * @param purges what it knows of purges
 * @param purger carries out an order of another member; not on an event loop
 */
public record ProxyEmbedding(
        EventLoopGroup loops,
        StreamAcceptor answers,
        ShareSettings share,
        PurgeLog purges,
        Consumer<PurgeOrder> purger) {}

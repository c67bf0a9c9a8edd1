package dev.komainu.proxy.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.access.AccessList;
import dev.komainu.intermediary.buffer.BufferBudget;
import dev.komainu.intermediary.buffer.BufferSettings;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.upstream.AddressResolver;
import dev.komainu.intermediary.upstream.DnsSettings;
import dev.komainu.intermediary.upstream.HealthRegistry;
import dev.komainu.intermediary.upstream.HealthSettings;
import dev.komainu.intermediary.upstream.KnownServers;
import dev.komainu.intermediary.upstream.UpstreamSettings;
import dev.komainu.proxy.cache.CacheSettings;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.proxy.connection.ClientCounts;
import dev.komainu.proxy.connection.ClientHttp2Settings;
import dev.komainu.proxy.connection.ConnectionLimits;
import dev.komainu.proxy.connection.ConnectionSettings;
import dev.komainu.proxy.connection.ReclaimSettings;
import dev.komainu.proxy.connection.Reclamation;
import dev.komainu.proxy.deliver.DeliverSettings;
import dev.komainu.proxy.deliver.ReadAhead;
import dev.komainu.proxy.fetch.ForwardingSettings;
import dev.komainu.proxy.fetch.InFlightFetches;
import dev.komainu.proxy.log.AccessLog;
import dev.komainu.proxy.log.LogSettings;
import dev.komainu.proxy.purge.Purger;
import dev.komainu.proxy.route.RouteTable;
import dev.komainu.proxy.tally.ExchangeLog;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopContextTest {

    private final MultiThreadIoEventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final MemoryCache memory = new MemoryCache(CacheSettings.DEFAULT);
    private final InFlightFetches inFlight = new InFlightFetches();
    private final Purger purger = new Purger(memory, null, inFlight, ProxyClock.SYSTEM);

    @AfterEach
    void tearDown() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        purger.close();
        memory.clear();
    }

    /** One exception must not end the timeouts of all other connections of its loop. */
    @Test
    void expiry_throws_laterDeadlinesStillExpire() throws Exception {
        EventLoop loop = group.next();
        LoopContext context = loop.submit(() -> context(loop)).get();
        CountDownLatch expired = new CountDownLatch(1);
        loop.submit(() -> context.handshakes().append(failing(), System.nanoTime()))
                .get();
        loop.submit(() -> context.handshakes().append(counting(expired), System.nanoTime()))
                .get();
        assertThat(expired.await(5, TimeUnit.SECONDS)).isTrue();
    }

    private static DeadlineList.Entry failing() {
        return new DeadlineList.Entry() {
            @Override
            protected void expired() {
                throw new IllegalStateException("thrown by the test");
            }
        };
    }

    private static DeadlineList.Entry counting(CountDownLatch latch) {
        return new DeadlineList.Entry() {
            @Override
            protected void expired() {
                latch.countDown();
            }
        };
    }

    private LoopContext context(EventLoop loop) throws Exception {
        ClientCounts clients = new ClientCounts(ConnectionSettings.DEFAULT);
        ExchangeServices services = new ExchangeServices(
                memory,
                null,
                inFlight,
                purger,
                new ReadAhead(1 << 20),
                name -> null,
                new ExchangeLog("test:1", 0, record -> {}),
                ProxyClock.SYSTEM,
                "komainu-test");
        RequestPolicy policy = new RequestPolicy(
                RouteTable.forward(Set.of()),
                AccessList.ALL,
                AccessList.LOOPBACK,
                AccessList.LOOPBACK,
                ConnectionSettings.DEFAULT,
                ClientHttp2Settings.DEFAULT,
                DeliverSettings.DEFAULT,
                UpstreamSettings.DEFAULT,
                ForwardingSettings.DEFAULT,
                Duration.ofMillis(100),
                AccessLog.open(LogSettings.DEFAULT));
        return new LoopContext(
                services,
                new ConnectionLimits(
                        clients,
                        new Reclamation(ReclaimSettings.DEFAULT, clients),
                        new BufferBudget(BufferSettings.DEFAULT)),
                new KnownServers(
                        new AddressResolver(address -> true, DnsSettings.DEFAULT),
                        new HealthRegistry(HealthSettings.DEFAULT)),
                policy,
                loop,
                NioSocketChannel.class,
                ByteBufAllocator.DEFAULT);
    }
}

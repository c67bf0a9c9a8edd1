package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.access.AccessList;
import dev.komainu.intermediary.upstream.UpstreamSettings;
import dev.komainu.proxy.connection.ClientHttp2Settings;
import dev.komainu.proxy.connection.ConnectionSettings;
import dev.komainu.proxy.deliver.DeliverSettings;
import dev.komainu.proxy.fetch.ForwardingSettings;
import dev.komainu.proxy.log.AccessLog;
import dev.komainu.proxy.route.RouteTable;
import java.time.Duration;

/**
 * What rules requests and can be changed while they are served. Immutable: a reload hands each
 * event loop a new one ({@link LoopContext#take}), between two of the loop's tasks, so that a
 * request sees one policy from its head until it is answered or handed to a fetch, and reading it
 * costs a hit no fence.
 *
 * @param routes the table now in force
 * @param clients who may use this proxy
 * @param purgers who may PURGE on the data port
 * @param managers who may read the manager's pages there
 * @param forwarding which forwarding fields of clients reach origins
 * @param handshakeTimeout of TLS with clients
 * @param access the lines about exchanges, for files
 */
public record RequestPolicy(
        RouteTable routes,
        AccessList clients,
        AccessList purgers,
        AccessList managers,
        ConnectionSettings connections,
        ClientHttp2Settings streams,
        DeliverSettings deliver,
        UpstreamSettings upstream,
        ForwardingSettings forwarding,
        Duration handshakeTimeout,
        AccessLog access) {}

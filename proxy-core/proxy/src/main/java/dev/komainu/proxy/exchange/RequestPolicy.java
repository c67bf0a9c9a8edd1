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
 * The rules for requests that a reload can change. Immutable: a reload gives each event loop a new
 * one ({@link LoopContext#apply}), between two of the loop's tasks. So a request sees one policy
 * from its head until its response or its fetch starts, and reading the policy costs a hit no
 * fence.
 *
 * @param routes the route table
 * @param clients the clients that may use this proxy
 * @param purgers the clients that may PURGE at the data port
 * @param managers the clients that may read the manager's pages there
 * @param forwarding the settings for forwarding fields of clients
 * @param handshakeTimeout the timeout of TLS handshakes with clients
 * @param access the access log
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

package dev.komainu.proxy.acceptor;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/** How bytes reach the kernel: native epoll where it loads, else Java's selector. */
public enum Transport {
    EPOLL,
    NIO;

    public static Transport best() {
        return Epoll.isAvailable() ? EPOLL : NIO;
    }

    public EventLoopGroup loops(int count) {
        return new MultiThreadIoEventLoopGroup(
                count, this == EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    public Class<? extends Channel> client() {
        return this == EPOLL ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    public Class<? extends ServerChannel> server() {
        return this == EPOLL ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }
}

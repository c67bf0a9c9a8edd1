// Bytes over TCP or TLS.

#ifndef CHANNEL_H
#define CHANNEL_H

#include "line.h"

enum { AGAIN = -1, BROKEN = -2 };

void channelPrepare(void);
void channelOpen(Line *line);
int channelHandshake(Line *line); // 1 when it is complete, otherwise AGAIN or BROKEN
long channelRead(Line *line, void *to, long room); // the number of bytes, 0 at the end, AGAIN or BROKEN
int channelWrite(Line *line, const void *from, long length); // 1, or BROKEN: requests are shorter than any socket buffer
void channelClose(Line *line);

extern long handshakes, resumed;

#endif

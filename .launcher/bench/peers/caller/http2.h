// Several requests at a time on each connection, in HTTP/2.

#ifndef HTTP2_H
#define HTTP2_H

#include "line.h"

void http2Open(Line *line);
void http2Ask(Request *request);
void http2Hear(Line *line);

#endif

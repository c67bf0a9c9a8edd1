// One request at a time on each connection, in HTTP/1.1.

#ifndef HTTP1_H
#define HTTP1_H

#include "line.h"

void http1Ask(Request *request);
void http1Hear(Line *line);

#endif

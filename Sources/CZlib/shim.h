#ifndef FOGBASE_CZLIB_SHIM_H
#define FOGBASE_CZLIB_SHIM_H

#include <zlib.h>

#endif

// All of it, with the shares in sight.

import { two } from "../attention.js";
import lesson from "../lesson.js";

export default { ...lesson, below: ({ shares }, j) => two(shares[j]) };

var v,En,en,J,Ze,Fe,Pn,De,Dn,nn,Qe,Bt,be=Symbol.for("pv"),Ie={},je=[],Wt=/^m(i|n|o|s|text|space)$/,tn=Array.isArray,Ue=je.slice,K=Object.assign;function re(e){e&&e.parentNode&&e.remove()}function d(e,n,t){var o,r,a,s={},i=arguments.length;for(a in n)a=="key"?o=n[a]:a=="ref"&&typeof e!="function"?r=n[a]:s[a]=n[a];return i>2&&(s.children=i>3?Ue.call(arguments,2):t),le(e,s,o,r,null)}function On(e,n,t){var o,r,a,s=K({},e.props),i=arguments.length;for(a in n)a=="key"?o=n[a]:a=="ref"&&typeof e.type!="function"?r=n[a]:s[a]=n[a];return i>2&&(s.children=i>3?Ue.call(arguments,2):t),le(e.type,s,o!==void 0?o:e.key,r!==void 0?r:e.ref,null)}function le(e,n,t,o,r){var a={type:e,props:n,key:t,ref:o,__k:null,__:null,__b:0,__e:null,__c:null,constructor:be,__v:r||++En,__i:-1,__u:0};return!r&&v.vnode&&v.vnode(a),a}function F(e){return e.children}function ue(e,n){this.props=e,this.context=n,this.__g=0}function q(e,n){if(n==null)return e.__&&q(e.__,e.__i+1);for(var t;n<e.__k.length;n++)if((t=e.__k[n])&&t.__e)return t.__e;return typeof e.type!="function"||e.props.__P?null:q(e)}function Gt(e){var n,t=e.__v,o=t.__e,r=[],a=[],s=e.__P;s&&((n=K({constructor:be},t)).__v=t.__v+1,v.vnode&&v.vnode(n),on(s,n,t,e.__n,s.namespaceURI,32&t.__u?[o]:null,r,o||q(t),32&t.__u,a),n.__v=t.__v,n.__.__k[n.__i]=n,Hn(r,n,a),t.__=t.__e=null,n.__e!=o&&Fn(n))}function Fn(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(n){return n&&(e.__e=n.__e)}),Fn(e)}function Ln(e){(8&e.__g||(e.__g|=8,J.push(e),Fe++))&&Ze==v.debounceRendering||((Ze=v.debounceRendering)||queueMicrotask)(In)}function In(){try{for(var e,n=1;J.length;)J.length>n&&J.sort(Pn),e=J.shift(),n=J.length,8&e.__g&&Gt(e)}finally{(Fe=J.length)&&(Ze||queueMicrotask)(In)}}function jn(e,n,t,o,r,a,s,i,c,f,u){var p,m,l,h,w,g,b=o.__k||je,_=n.length;for(c=zt(t,n,b,c,_),p=0;p<_;p++)(l=t.__k[p])!=null&&(m=~l.__i&&b[l.__i]||Ie,l.__i=p,g=on(e,l,m,r,a,s,i,c,f,u),h=l.__e,(m.ref!=l.ref||8&m.__u)&&(m.ref&&rn(m.ref,null,l,m),l.ref&&u.push(l.ref,l.__c||h,l)),w=w||h,4&l.__u?(c=Un(l,c,e,!m.__v),m.__e&&(m.__e=null)):typeof l.type=="function"&&g!==void 0?c=g:h&&(c=h.nextSibling),l.__u&=-21);return t.__e=w,c}function zt(e,n,t,o,r){var a,s,i,c,f,u,p,m,l,h=t.length,w=h,g=0,b=0,_=e.__k=Array(r);for(a=0;a<r;a++)(s=n[a])!=null&&typeof s!="boolean"&&typeof s!="function"?(typeof s!="object"||s.constructor===String?s=_[a]=le(null,s):tn(s)?s=_[a]=le(F,{children:s}):s.constructor===be&&s.__b?s=_[a]=le(s.type,s.props,s.key,s.ref,s.__v):_[a]=s,c=a+g,s.__=e,s.__b=e.__b+1,i=null,~(f=s.__i=Jt(s,t,c,w))&&(w--,(i=t[f])&&(i.__u|=2)),i&&i.__v?(s.__u|=16,f==c-1?g--:f==c+1?g++:f!=c&&(f>c?g--:g++,b=1)):(~f||(r>h?g--:r<h&&g++),typeof s.type!="function"&&(s.__u|=4))):_[a]=null;if(b){for(u=[],p=[],a=0;a<r;a++)if((s=_[a])&&16&s.__u){for(g=0,m=u.length;g<m;)u[l=g+m>>1]<s.__i?g=l+1:m=l;u[g]=s.__i,p[a]=g+1}for(g=u.length;a--;)p[a]&&(p[a]==g?g--:_[a].__u|=4)}if(w)for(a=0;a<h;a++)!(i=t[a])||2&i.__u||(i.__e==o&&(o=q(i)),an(i,i));return o}function Un(e,n,t,o){var r,a,s,i;if(typeof e.type=="function"){if(e.props.__P)return n;if(r=e.__k)for(a=0;a<r.length;a++)r[a]&&(r[a].__=e,n=Un(r[a],n,t,!1));return n}for(n&&!n.parentNode&&(n=q(e))&&!n.parentNode&&(n=null),s=e.__e,i=n;i&&i.nodeType==8;)i=i.nextSibling;for(s!=i&&(!o&&t.moveBefore&&s.parentNode?t.moveBefore(s,n):t.insertBefore(s,n||null)),n=s;(n=n&&n.nextSibling)&&n.nodeType==8&&!n.data.startsWith("$s"););return n}function Jt(e,n,t,o){var r,a=e.key,s=e.type,i=n[t],c=i&&!(2&i.__u);if(i===null&&a==null||c&&a==i.key&&s==i.type)return t;if(o>(c?1:0)){for(r=t-1;r>=0;r--)if((i=n[r])&&!(2&i.__u)&&a==i.key&&s==i.type)return r;for(r=t+1;r<n.length;r++)if((i=n[r])&&!(2&i.__u)&&a==i.key&&s==i.type)return r}return-1}function Rn(e,n,t){t==null&&(t=""),n[0]=="-"?e.setProperty(n,t):e[n]=t}function Pe(e,n,t,o,r){var a,s;if(n=="style")if(typeof t=="string")e.style.cssText=t;else{if(typeof o=="string"&&(e.style.cssText=o=""),o)for(n in o)t&&n in t||Rn(e.style,n);if(t)for(n in t)o&&t[n]==o[n]||Rn(e.style,n,t[n])}else if(n[0]=="o"&&n[1]=="n")typeof t!="function"&&(t=null),typeof o!="function"&&(o=null),(e.__e||(e.__e={}))[n]=t,t&&o||(s=Qe[n]||(Qe[n]=Kt(n)),(e.__a||(e.__a={}))[n]=nn,a=n!=(n=n.replace(Dn,"$1")),(n=n.slice(2))[0]<"a"&&(n=n.toLowerCase()),t?e.addEventListener(n,s,a):e.removeEventListener(n,s,a));else{if(r=="http://www.w3.org/2000/svg")n=n.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(n!="width"&&n!="height"&&n!="href"&&n!="list"&&n!="form"&&n!="tabIndex"&&n!="download"&&n!="rowSpan"&&n!="colSpan"&&n!="role"&&n!="popover"&&n in e)try{return void(e[n]=t??"")}catch{}if(typeof t=="function")return;t==null||t===!1&&n[4]!="-"?e.removeAttribute(n):e.setAttribute(n,n=="popover"&&t==1?"":t)}}function Kt(e){return function(n){var t=this.__e;if(t){if(t=t[e],n[De]==null)n[De]=nn++;else if(n[De]<this.__a[e])return;return t(v.event?v.event(n):n)}}}function on(e,n,t,o,r,a,s,i,c,f){var u,p,m,l,h,w,g,b,_,C,k,ne,te,oe,j,we,L,O,U=n.type;if(n.constructor!==be)return null;128&t.__u&&(c=32&t.__u,u=t.__c.__z)&&(n.__u|=c,p=a=[],u.nodeType==8?i=Oe(u,a):a.push(u),i=a[0]||i),(u=v.__b)&&u(n);e:if(typeof U=="function"){m=s.length;try{if(b=n.props,_=(u=U.prototype)&&u.render,C=(u=U.contextType)&&o[u.__c],k=u?C?C.props.value:u.__:o,(l=t.__c)?(n.__c=l,2&l.__g&&(l.__g|=1)):(_?n.__c=l=new U(b,k):(n.__c=l=new ue(b,k),l.constructor=U,l.render=Yt),C&&C.sub(l),l.state||(l.state={}),l.__n=o,l.__g|=8,l.__h=[],l.__k=[]),_&&(l.__s||(l.__s=l.state),U.getDerivedStateFromProps&&(l.__s==l.state&&(l.__s=K({},l.__s)),K(l.__s,U.getDerivedStateFromProps(b,l.__s)))),h=l.props,w=l.state,l.__v=n,t.__c){if(b!==h&&_&&!U.getDerivedStateFromProps&&l.componentWillReceiveProps&&l.componentWillReceiveProps(b,k),n.__v==t.__v&&!(8&l.__g)||!(4&l.__g)&&l.shouldComponentUpdate&&l.shouldComponentUpdate(b,l.__s,k)===!1){n.__v!=t.__v&&(l.props=b,l.state=l.__s,l.__g&=-9),n.__e=t.__e,n.__k=t.__k,n.__k.some(function(D){D&&(D.__=n)}),je.push.apply(l.__h,l.__k),l.__k=[],l.__h.length&&s.push(l),i=q(t);break e}l.componentWillUpdate&&l.componentWillUpdate(b,l.__s,k),_&&l.componentDidUpdate&&l.__h.push(function(){l.componentDidUpdate(h,w,g)})}else _&&!U.getDerivedStateFromProps&&l.componentWillMount&&l.componentWillMount(),_&&l.componentDidMount&&l.__h.push(l.componentDidMount);l.context=k,l.props=b,l.__P=e,l.__g&=-5,ne=v.__r,te=_?25:0;do l.__g&=-9,ne&&ne(n),u=l.render(l.props,l.state=l.__s,l.context);while(8&l.__g&&++te<25);_&&(je.push.apply(l.__h,l.__k),l.__k=[]),l.state=l.__s,l.getChildContext&&(o=K({},o,l.getChildContext())),_&&t.__c&&l.getSnapshotBeforeUpdate&&(g=l.getSnapshotBeforeUpdate(h,w)),oe=u&&u.type===F&&u.key==null?u.props.children:u,b.__P&&(u=i,r=(e=b.__P).namespaceURI,c=a=null,t.props&&t.props.__P!=e&&(t.__k.some(function(D){D&&an(D,D)}),t.__k=null),i=t.__k?q(t,0):null),i=jn(e,tn(oe)?oe:[oe],n,t,o,r,a,s,i,c,f),b.__P&&(n.__e=null,i=u),n.__u&=-161,p&&p.some(re),l.__h.length&&s.push(l),1&l.__g&&(l.__g&=-4)}catch(D){if(s.length=m,n.__v=null,c||a)if(D&&D.then){if(n.__u|=128|c,a){for(~(L=a.indexOf(i||void 0))||(L=a.length);(O=a[L-1])&&O.nodeType==8;)L--;for(;L<a.length;L++)if(O=a[L])if(a[L]=null,j){if(O==we)break}else{if(O.nodeType!=8)break;O.data.startsWith("$s")&&(we=Oe(j=O))}}if(!j){for(;i&&i.nodeType==8&&i.nextSibling;)i=i.nextSibling;j=i}(u=Oe(j=n.__c.__z||(n.__c.__z=j)))?(n.__e=j,i=u):n.__e=i,i=i&&i.nextSibling}else a&&a.some(re);else n.__e=t.__e;n.__k||(n.__k=t.__k||[]),D&&D.then||$n(n),v.__e(D,n,t)}}else i=n.__e=qt(t.__e,n,t,o,r,a,s,c,f,e);return(u=v.diffed)&&u(n),i}function Oe(e,n){if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var t=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))t++;else if(e.data.startsWith("/$s")&&!--t)return e}n&&n.push(e)}}function $n(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some($n))}function Hn(e,n,t){for(var o=0;o<t.length;)rn(t[o++],t[o++],t[o++]);v.__c&&v.__c(n,e),e.some(function(r){try{e=r.__h,r.__h=[],e.some(function(a){a.call(r)})}catch(a){v.__e(a,r.__v)}})}function qt(e,n,t,o,r,a,s,i,c,f){var u,p,m,l,h,w,g,b,_=t.props||Ie,C=n.props,k=n.type;if(k=="svg"?r="http://www.w3.org/2000/svg":k=="math"?r="http://www.w3.org/1998/Math/MathML":r||(r="http://www.w3.org/1999/xhtml"),a){for(u=0;u<a.length;u++)if((h=a[u])&&(k?h.localName==k:h.nodeType==3)){e=h,a[u]=null;break}}if(!e){if(b=f.ownerDocument||document,!k)return b.createTextNode(C);e=b.createElementNS(r,k,C.is?C:f),i&&(v.__m&&v.__m(n,a),i=!1),a=null}if(k){if(f=k=="template"&&e.content||e,a=k=="textarea"&&C.defaultValue!=null?null:a&&Ue.call(f.childNodes),!i&&a)for(_={},u=0;u<e.attributes.length;u++)_[(h=e.attributes[u]).name]=h.value;for(u in _)h=_[u],u=="dangerouslySetInnerHTML"?m=h:u=="children"||u in C||u=="value"&&"defaultValue"in C||u=="checked"&&"defaultChecked"in C||Pe(e,u,null,h,r);for(u in C)h=C[u],u=="children"?l=h:u=="dangerouslySetInnerHTML"?p=h:u=="value"?w=h:u=="checked"?g=h:i&&typeof h!="function"||_[u]===h||Pe(e,u,h,_[u],r);p?(i||m&&(p.__html==m.__html||p.__html==e.innerHTML)||(e.innerHTML=p.__html),n.__k=[]):(m&&(e.textContent=""),(k=="foreignObject"||r=="http://www.w3.org/1998/Math/MathML"&&Wt.test(k))&&(r="http://www.w3.org/1999/xhtml"),jn(f,tn(l)?l:[l],n,t,o,r,a,s,a?a[0]:t.__k&&q(t,0),i,c),a&&a.some(re)),i&&k!="textarea"||(u="value",k=="progress"&&w==null?e.removeAttribute(u):w==null||w===e[u]&&(k!="progress"||w)||Pe(e,u,w,_[u],r),u="checked",g!=null&&g!=e[u]&&Pe(e,u,g,_[u],r))}else _===C||i&&e.data==C||(e.data=C);return e}function rn(e,n,t,o){try{typeof e=="function"?n?n.__x=e(n)||1:o&&(o=o.__c||o.__e)&&(n=o.__x)&&(o.__x=null,typeof n=="function"?n():e(null)):e.current=n}catch(r){v.__e(r,t)}}function an(e,n,t){var o,r,a,s;if(v.unmount&&v.unmount(e),!(o=e.ref)||o.current&&o.current!=e.__e||rn(o,null,n,e),o=e.__c){if(o.componentWillUnmount)try{o.componentWillUnmount()}catch(i){v.__e(i,n)}o.__P=o.__n=null}if(o=e.__k)for(s=0;s<o.length;s++)o[s]&&an(o[s],n,typeof e.type!="function"||t&&!e.props.__P);!t&&(o=e.__c)&&(o=o.__z)&&(r=Oe(o,a=[]))&&(o==e.__e&&a.some(re),re(r),re(o)),t||re(e.__e),e.__e=e.__c=e.__=null}function Yt(e,n,t){return this.constructor(e,t)}function Ko(e,n){var t,o,r,a;v.__&&v.__(e,n),n.nodeType==9&&(n=n.documentElement),o=(t=e&&32&e.__u)?null:n.__k,n.__k=le(F,{children:[e]}),r=[],a=[],on(n,n.__k,o||Ie,Ie,n.namespaceURI,o?null:n.firstChild?Ue.call(n.childNodes):null,r,o?o.__e:n.firstChild,t,a),Hn(r,n.__k,a),n.__k.props.children=null}v={__e:function(e,n,t,o){for(var r,a,s;n=n.__;)if((r=n.__c)&&!(1&r.__g)){r.__g|=4;try{if((s=(a=r.constructor)&&a.getDerivedStateFromError)&&r.setState(a.getDerivedStateFromError(e)),r.componentDidCatch&&(r.componentDidCatch(e,o||{}),s=1),s&&8&r.__g)return void(r.__g|=2)}catch(i){e=i}}throw Fe=0,e}},En=0,en=function(e){return e!=null&&e.constructor===be},ue.prototype.setState=function(e,n){var t=this.__s;t&&t!=this.state||(t=this.__s=K({},this.state)),typeof e=="function"&&(e=e(K({},t),this.props)),e&&(K(t,e),this.__v&&(n&&this.__k.push(n),Ln(this)))},ue.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),Ln(this))},ue.prototype.render=F,J=[],Fe=0,Pn=function(e,n){return e.__v.__b-n.__v.__b},De=Symbol(),Dn=/(PointerCapture)$|Capture$/i,nn=0,Qe={},Bt=0;var Y,S,sn,Bn,ln=Object.is,$e=0,Xn=[],un=[],x=v,Wn=x.__b,Gn=x.__r,zn=x.diffed,Jn=x.__c,Kn=x.unmount,qn=x.__;function de(e,n){x.__h&&x.__h(S,e,$e||n),$e=0;var t=S.__H||(S.__H={__:[],__h:[]});return e>=t.__.length&&t.__.push({}),t.__[e]}function $(e){return $e=1,Vt(Zn,e)}function Vt(e,n,t){var o=de(Y++,2);if(o.t=e,!o.__c&&(o.__=[t?t(n):Zn(void 0,n),function(a){var s=(o.__N||o.__)[0],i=o.t(s,a);ln(s,i)||(o.__N=[i,o.__[1]],o.__c.setState({}))}],o.__c=S,!S.__f)){S.__f=!0;var r=S.shouldComponentUpdate;S.shouldComponentUpdate=function(a,s,i){var c=this.__H;if(!c)return!0;var f=!1,u=this.props!=a;if(c.__.some(function(m){m.__N&&(f=!0,ln(m.__[0],m.__N[0])||(u=!0))}),r){var p=r.call(this,a,s,i);return f?p||u:p}return!f||u}}return o.__}function H(e,n){var t=de(Y++,3);!x.__s&&cn(t.__H,n)&&(t.__P=!0,t.__=e,t.u=n,S.__H.__h.push(t))}function ce(e,n){var t=de(Y++,4);!x.__s&&cn(t.__H,n)&&(t.__P=!1,t.__=e,t.u=n,S.__h.push(t))}function P(e){return $e=5,He(function(){return{current:e}},[])}function He(e,n){var t=de(Y++,7);return cn(t.__H,n)&&(t.__=e(),t.__H=n),t.__}function Vo(e){var n=de(Y++,10),t=$();return n.__=e,S.componentDidCatch||(S.componentDidCatch=function(o,r){n.__&&n.__(o,r),t[1](o)}),[t[0],function(){return t[1]()}]}function Be(){var e=de(Y++,11);if(!e.__){for(var n=S.__v;!n.__m&&n.__;)n=n.__;var t=n.__m||(n.__m=[0,0]);e.__="P"+t[0]+"-"+t[1]++}return e.__}function Xt(){var e;do{for(;e=un.shift();)try{ke(e)}catch(t){x.__e(t,{__:(e=e.__P)&&e.__v})}for(;e=Xn.shift();){var n=e.__H;if(e.__P&&n)try{n.__h.some(ke),n.__h.some(dn),n.__h=[]}catch(t){n.__h=[],x.__e(t,e.__v)}}}while(un.length)}x.__b=function(e){S=null,Wn&&Wn(e)},x.__=function(e,n){e&&n.__k&&n.__k.__m&&(e.__m=n.__k.__m),qn&&qn(e,n)},x.__r=function(e){Gn&&Gn(e),Y=0;var n=(S=e.__c).__H;n&&(sn==S?S.__h=[]:(n.__h.some(ke),n.__h.some(dn),Y=0),n.__h=[],n.__.some(function(t){t.__N&&(t.__=t.__N),t.u=t.__N=void 0})),sn=S},x.diffed=function(e){zn&&zn(e);var n=e.__c;n&&n.__H&&(n.__H.__h.length&&Vn(Xn.push(n)),n.__H.__.some(function(t){t.u&&(t.__H=t.u)})),sn=S=null},x.__c=function(e,n){n.some(function(t){try{t.__h.some(ke),t.__h=t.__h.filter(function(o){return!o.__||dn(o)})}catch(o){t.__h=[function(){throw o}]}}),Jn&&Jn(e,n)},x.unmount=function(e){Kn&&Kn(e);var n,t,o=e.__c;o&&o.__H&&(o.__H.__.some(function(r){try{if(r.__P&&r.__c){if(t===void 0){for(t=e.__;t&&(!t.__c||!t.__c.__P);)t=t.__;t=t&&t.__c}r.__P=t,Vn(un.push(r))}else ke(r)}catch(a){n=a}}),o.__H=void 0,n&&x.__e(n,o.__v))};var Yn=typeof requestAnimationFrame=="function";function Zt(e){var n,t=function(){clearTimeout(o),Yn&&cancelAnimationFrame(n),setTimeout(e)},o=setTimeout(t,35);Yn&&(n=requestAnimationFrame(t))}function Vn(e){e!=1&&Bn==x.requestAnimationFrame||((Bn=x.requestAnimationFrame)||Zt)(Xt)}function ke(e){var n=S,t=e.__c;typeof t=="function"&&(e.__c=void 0,t()),S=n}function dn(e){var n=S;e.__c=e.__(),S=n}function cn(e,n){return!e||e.length!=n.length||n.some(function(t,o){return!ln(t,e[o])})}function Zn(e,n){return typeof n=="function"?n(e):n}var Qt=Symbol.for("preact-signals");function Je(){if(B>1)B--;else{var e,n=!1;for((function(){var r=Ge;for(Ge=void 0;r!==void 0;){var a=r.S;if(a.v===r.v)for(var s=a.t;s!==void 0;s=s.x)s.i===r.i&&(s.i=a.i);r=r.o}})();Se!==void 0;){var t=Se;for(Se=void 0,We++;t!==void 0;){var o=t.u;if(t.u=void 0,t.f&=-3,!(8&t.f)&&et(t))try{t.c()}catch(r){n||(e=r,n=!0)}t=o}}if(We=0,B--,n)throw e}}function Ce(e){if(B>0)return e();fn=++eo,B++;try{return e()}finally{Je()}}var Te,T=void 0;function xe(e){var n=T,t=Te;T=void 0,Te=void 0;try{return e()}finally{T=n,Te=t}}var Se=void 0,B=0,We=0,eo=0,fn=0,Ge=void 0,ze=0;function Qn(e){if(T!==void 0){var n=e.n;if(n===void 0||n.t!==T)return n={i:0,S:e,p:T.s,n:void 0,t:T,e:void 0,x:void 0,r:n},T.s!==void 0&&(T.s.n=n),T.s=n,e.n=n,32&T.f&&e.S(n),n;if(n.i===-1)return n.i=0,n.n!==void 0&&(n.n.p=n.p,n.p!==void 0&&(n.p.n=n.n),n.p=T.s,n.n=void 0,T.s.n=n,T.s=n),n}}function A(e,n){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=n?.watched,this.Z=n?.unwatched,this.name=n?.name}A.prototype.brand=Qt;A.prototype.h=function(){return!0};A.prototype.S=function(e){var n=this,t=this.t;t!==e&&e.e===void 0&&(e.x=t,this.t=e,t!==void 0?t.e=e:xe(function(){var o;(o=n.W)==null||o.call(n)}))};A.prototype.U=function(e){var n=this;if(this.t!==void 0){var t=e.e,o=e.x;t!==void 0&&(t.x=o,e.e=void 0),o!==void 0&&(o.e=t,e.x=void 0),e===this.t&&(this.t=o,o===void 0&&xe(function(){var r;(r=n.Z)==null||r.call(n)}))}};A.prototype.subscribe=function(e){var n=this;return N(function(){var t=n.value;xe(function(){return e(t)})},{name:"sub"})};A.prototype.valueOf=function(){return this.value};A.prototype.toString=function(){return this.value+""};A.prototype.toJSON=function(){return this.value};A.prototype.peek=function(){var e=this;return xe(function(){return e.value})};Object.defineProperty(A.prototype,"value",{get:function(){var e=Qn(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==this.v){if(We>100)throw new Error("Cycle detected");(function(t){B!==0&&We===0&&t.l!==fn&&(t.l=fn,Ge={S:t,v:t.v,i:t.i,o:Ge})})(this),this.v=e,this.i++,ze++,B++;try{for(var n=this.t;n!==void 0;n=n.x)n.t.N()}finally{Je()}}}});function y(e,n){return new A(e,n)}function et(e){for(var n=e.s;n!==void 0;n=n.n)if(n.S.i!==n.i||!n.S.h()||n.S.i!==n.i)return!0;return!1}function nt(e){for(var n=e.s;n!==void 0;n=n.n){var t=n.S.n;if(t!==void 0&&(n.r=t),n.S.n=n,n.i=-1,n.n===void 0){e.s=n;break}}}function tt(e){for(var n=e.s,t=void 0;n!==void 0;){var o=n.p;n.i===-1?(n.S.U(n),o!==void 0&&(o.n=n.n),n.n!==void 0&&(n.n.p=o)):t=n,n.S.n=n.r,n.r!==void 0&&(n.r=void 0),n=o}e.s=t}function ae(e,n){A.call(this,void 0,n),this.x=e,this.s=void 0,this.g=ze-1,this.f=4}ae.prototype=new A;ae.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===ze))return!0;if(this.g=ze,this.f|=1,this.i>0&&!et(this))return this.f&=-2,!0;var e=T;try{nt(this),T=this;var n=this.x();(16&this.f||this.v!==n||this.i===0)&&(this.v=n,this.f&=-17,this.i++)}catch(t){this.v=t,this.f|=16,this.i++}return T=e,tt(this),this.f&=-2,!0};ae.prototype.S=function(e){if(this.t===void 0){this.f|=36;for(var n=this.s;n!==void 0;n=n.n)n.S.S(n)}A.prototype.S.call(this,e)};ae.prototype.U=function(e){if(this.t!==void 0&&(A.prototype.U.call(this,e),this.t===void 0)){this.f&=-33;for(var n=this.s;n!==void 0;n=n.n)n.S.U(n)}};ae.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var e=this.t;e!==void 0;e=e.x)e.t.N()}};Object.defineProperty(ae.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=Qn(this);if(this.h(),e!==void 0&&(e.i=this.i),16&this.f)throw this.v;return this.v}});function V(e,n){return new ae(e,n)}function ot(e){var n=e.j;if(e.j=void 0,typeof n=="function"){B++;var t=T;T=void 0;try{n()}catch(o){throw e.f&=-2,e.f|=8,hn(e),o}finally{T=t,Je()}}}function hn(e){for(var n=e.s;n!==void 0;n=n.n)n.S.U(n);e.x=void 0,e.s=void 0,ot(e)}function no(e){if(T!==this)throw new Error("Out-of-order effect");tt(this),T=e,this.f&=-2;try{8&this.f&&hn(this)}finally{Je()}}function fe(e,n){this.x=e,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=n?.name,Te&&Te.push(this)}fe.prototype.c=function(){var e=this.S();try{if(8&this.f||this.x===void 0)return;var n=this.x();typeof n=="function"&&(this.j=n)}finally{e()}};fe.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,ot(this),nt(this),B++;var e=T;return T=this,no.bind(this,e)};fe.prototype.N=function(){2&this.f||(this.f|=2,this.u=Se,Se=this)};fe.prototype.d=function(){this.f|=8,1&this.f||hn(this)};fe.prototype.dispose=function(){this.d()};function N(e,n){var t=new fe(e,n);try{t.c()}catch(r){throw t.d(),r}var o=t.d.bind(t);return o[Symbol.dispose]=o,o}var rt,qe,Ke,to=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var at=[];N(function(){rt=this.N})();function he(e,n){v[e]=n.bind(null,v[e]||function(){})}function Me(e){if(Ke){var n=Ke;Ke=void 0,n()}Ke=e&&e.S()}function st(e){var n=this,t=e.data,o=ro(t);o.name="ReactiveDom",o.value=t;var r=He(function(){for(var i=n,c=n.__v;c=c.__;)if(c.__c){c.__c.__$f|=4;break}var f=V(function(){var l=o.value.value;return l===0?0:l===!0?"":l||""}),u=V(function(){return!Array.isArray(f.value)&&!en(f.value)}),p=N(function(){if(this.N=it,u.value){var l=f.value;i.__v&&i.__v.__e&&i.__v.__e.nodeType===3&&(i.__v.__e.data=l)}}),m=n.__$u.d;return n.__$u.d=function(){p(),m.call(this)},[u,f]},[]),a=r[0],s=r[1];return a.value?s.peek():s.value}st.displayName="ReactiveTextNode";Object.defineProperties(A.prototype,{constructor:{configurable:!0,value:d(F,null).constructor},type:{configurable:!0,value:st},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.value}}}}},__b:{configurable:!0,value:1}});he("__b",function(e,n){if(Me(),qe=void 0,typeof n.type=="string"){var t,o=n.props;for(var r in o)if(r!=="children"){var a=o[r];a instanceof A&&(t||(n.__np=t={}),t[r]=a,o[r]=a.peek())}}e(n)});he("__r",function(e,n){if(e(n),n.type!==F){Me();var t,o=n.__c;o&&(o.__$f&=-2,(t=o.__$u)===void 0&&(o.__$u=t=(function(r,a){var s;return N(function(){s=this},{name:a}),s.c=r,s})((function(r){return function(){var a;to&&((a=this.y)==null||a.call(this)),r.__$f|=1,r.setState({})}})(o),typeof n.type=="function"?n.type.displayName||n.type.name:""))),qe=o,Me(t)}});he("__e",function(e,n,t,o){Me(),qe=void 0,e(n,t,o)});he("diffed",function(e,n){Me(),qe=void 0;var t;if(typeof n.type=="string"&&(t=n.__e)){var o=n.__np,r=n.props,a=t.U;if(a)for(var s in a){var i=a[s];i===void 0||o&&s in o||(i.d(),a[s]=void 0)}if(o){a||(a={},t.U=a);for(var c in o){var f=a[c],u=o[c];f===void 0?(f=oo(t,c,u,r),a[c]=f):f.o(u,r)}}}e(n)});function oo(e,n,t,o){var r=n in e&&e.ownerSVGElement===void 0,a=y(t);return{o:function(s,i){a.value=s,o=i},d:N(function(){this.N=it;var s=a.value.value;o[n]!==s&&(o[n]=s,r?e[n]=s:s!=null&&(s!==!1||n[4]==="-")?e.setAttribute(n,s):e.removeAttribute(n))})}}he("unmount",function(e,n){if(typeof n.type=="string"){var t=n.__e;if(t){var o=t.U;if(o){t.U=void 0;for(var r in o){var a=o[r];a&&a.d()}}}var s=n.__np;if(s){var i=n.props;for(var c in s)i[c]=s[c]}n.__np=void 0}else{var f=n.__c;if(f){f.__$f|=8;var u=f.__$u;u&&(f.__$u=void 0,u.d())}}e(n)});he("__h",function(e,n,t,o){o<3&&(n.__$f|=2),e(n,t,o)});ue.prototype.shouldComponentUpdate=function(e,n){if(this.__R)return!0;var t=this.__$u,o=t&&t.s!==void 0;for(var r in n)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===!0){var a=2&this.__$f;if(!(o||a||4&this.__$f)||1&this.__$f)return!0}else if(!(o||4&this.__$f)||3&this.__$f)return!0;for(var s in e)if(s!=="__source"&&e[s]!==this.props[s])return!0;for(var i in this.props)if(!(i in e))return!0;return!1};function ro(e,n){return He(function(){return y(e,n)},[])}var ao=function(e){queueMicrotask(function(){queueMicrotask(e)})};function so(){Ce(function(){for(var e;e=at.shift();)rt.call(e)})}function it(){at.push(this)===1&&(v.requestAnimationFrame||ao)(so)}var R=new URL("..",import.meta.url);function ut(){let e=location.pathname;return e.startsWith(R.pathname)?e.slice(R.pathname.length):""}var lt=document.querySelector("link[rel=icon]");lt&&(lt.href=new URL("icon.svg",R).href);var dt=y(ut()),pn=y(location.search),ir=V(()=>new URLSearchParams(pn.value));function mn(){Ce(()=>{dt.value=ut(),pn.value=location.search})}var pe;function lr(e){pe=e}addEventListener("popstate",()=>{pe&&!pe()?history.pushState(null,"",new URL(dt.value+pn.value,R)):mn()});function io(e,n=!1){if(pe&&!pe())return;pe=void 0;let t=new URL(e,R);n?history.replaceState(null,"",t):history.pushState(null,"",t),mn(),n||(scrollTo(0,0),requestAnimationFrame(()=>document.querySelector("h1")?.focus({preventScroll:!0})))}function ur(e){let n=new URLSearchParams(location.search);for(let[o,r]of Object.entries(e))r?n.set(o,r):n.delete(o);let t=n.toString();history.replaceState(null,"",location.pathname+(t?"?"+t:"")),mn()}function dr(e){return new URL(e,R).pathname+new URL(e,R).search}var cr=["","runs","timeline","why","code","misfires","changes"];function fr(e,n){let t=e.split("/"),o=n.replace(/\/$/,"").split("/");if(t.length!==o.length)return;let r={};for(let[a,s]of t.entries()){let i=o[a]??"";if(s.startsWith(":")){if(!i)return;r[s.slice(1)]=decodeURIComponent(i)}else if(s!==i)return}return r}document.addEventListener("click",e=>{if(e.defaultPrevented||e.button!==0||e.metaKey||e.ctrlKey||e.shiftKey||e.altKey)return;let n=e.target.closest?.("a");if(!(!n||n.target||n.hasAttribute("download")||n.origin!==location.origin)&&!(!n.pathname.startsWith(R.pathname)||n.pathname.startsWith(R.pathname+"assets/")||n.pathname.endsWith(".txt"))){if(e.preventDefault(),n.hash&&n.pathname===location.pathname){document.getElementById(n.hash.slice(1))?.scrollIntoView();return}io(n.pathname.slice(R.pathname.length)+n.search)}});function _n(e){try{return localStorage.getItem(e)}catch{return null}}function gn(e,n){try{localStorage.setItem(e,n)}catch{}}function lo(){let e=_n("xxlwheel.lang");return e==="zh-CN"||e==="en"?e:navigator.languages.some(n=>n.toLowerCase().startsWith("zh"))?"zh-CN":"en"}function uo(){let e=_n("xxlwheel.theme");return e==="light"||e==="dark"?e:"system"}var E=y(lo()),ct=y(uo()),co=y(_n("xxlwheel.keys")!=="off");N(()=>{document.documentElement.lang=E.value,gn("xxlwheel.lang",E.value)});N(()=>{document.documentElement.dataset.theme=ct.value,gn("xxlwheel.theme",ct.value)});N(()=>gn("xxlwheel.keys",co.value?"on":"off"));var X=class extends Error{constructor(t,o,r,a={}){super(ft({message:r,messageZh:a.messageZh}));this.status=t;this.code=o;this.problems=a.problems,this.broken=(a.rules??[{...a,message:r}]).map(s=>({field:o==="invalid"?s.params?.field:void 0,text:ft(s)})),this.field=this.broken[0]?.field}status;code;broken;field;problems};function me(e){return e instanceof X?e:new X(0,"internal",String(e))}function ft(e){return E.value==="zh-CN"&&e.messageZh||e.message}var Ae=y(!1),I=y(!1),Ye=y(0),vn="xxlwheel.token",Z=sessionStorage.getItem(vn)??"",fo=5e3,ho=1e4;function pt(e){return fetch(new URL("../api/v1/session",R),{headers:e,signal:AbortSignal.timeout(ho)})}var ht=/^#token=(.+)$/.exec(location.hash)?.[1],po=ht?mo(ht).catch(()=>{}):void 0;async function mo(e){history.replaceState(null,"",location.pathname+location.search);let t=await(await pt(Z?{Authorization:"Bearer "+Z}:{}).catch(()=>{}))?.json().catch(()=>{});t&&!t.kind&&Ne(decodeURIComponent(e))}function Ne(e){Z=e,e?sessionStorage.setItem(vn,e):sessionStorage.removeItem(vn)}function yr(){return Z!==""}function _o(e,n){let t={...n},o=e.slice(e.indexOf(" ")+2).replace(/\{(\w+)\}/g,(a,s)=>{let i=t[s];return delete t[s],encodeURIComponent(String(i))}),r=new URL("../api/v1/"+o,R);for(let[a,s]of Object.entries(t))s!==void 0&&s!==""&&s!==!1&&r.searchParams.set(a,String(s)),s===!1&&a==="running"&&r.searchParams.set(a,"false");return r}function yn(e,n){return n?.aborted?e:(Ae.value=!0,new X(0,"unreachable",String(e.message)))}async function W(e,n,t,o){let r=await Ve(e,n,t,o);if(r.status!==204)try{return await r.json()}catch(a){throw yn(a,o)}}async function wr(e,n,t,o,r){let s=(await Ve(e,n,t,r)).body.pipeThrough(new TextDecoderStream).getReader(),i="";try{for(;;){let{value:c,done:f}=await s.read();if(f)return;let u=(i+c).split(`
`);i=u.pop();for(let p of u)p&&o(JSON.parse(p))}}catch(c){throw yn(c,r)}}function mt(){let e=0;for(let n of Z)e=Math.imul(e,31)+n.charCodeAt(0)|0;return Z&&String(e)}async function Ve(e,n,t,o,r){await po;let a=e.slice(0,e.indexOf(" ")),s={...r};Z&&(s.Authorization="Bearer "+Z),t!==void 0&&(s["Content-Type"]="application/json");let i=Date.now(),c=new AbortController,f=setTimeout(()=>pt().catch(()=>{Ae.value=!0,a==="GET"&&c.abort()}),fo),u;try{u=await fetch(_o(e,n),{method:a,headers:s,signal:AbortSignal.any(o?[o,c.signal]:[c.signal]),body:t===void 0?void 0:JSON.stringify(t)})}catch(h){throw yn(h,o)}finally{clearTimeout(f)}Ae.value=[502,503,504].includes(u.status)&&!u.headers.get("Content-Type")?.startsWith("application/json");let p=Date.parse(u.headers.get("Date")??"");if(p){let h=p+500-(i+Date.now())/2;Ye.value=Math.abs(h)<1500?0:h}if(u.ok)return u;let m=await u.json().catch(()=>{});u.status===401&&(I.value=!0);let l=m;throw new X(u.status,l?.code??"internal",l?.message||u.statusText||`HTTP ${u.status}`,l)}var _t={"":{"":`Cancel|取消
Close|关闭
Try again|重试
Sending failed|告警失败
Not needed|无需告警
Open|待告警
Sent|已告警
Answer|返回
Body|请求体
Copied|已复制
Copy|复制
Download openapi.json|下载 openapi.json
Search in calls|搜索接口
Everything this console does is one of these calls. $TOKEN is a personal token; My account makes one.|本控制台的所有操作都通过以下接口完成。$TOKEN 为个人令牌，可在个人中心创建。
The browser lets no page copy over plain HTTP. Select the line and copy it.|浏览器不允许通过普通 HTTP 页面复制，请选中该行手动复制。
No call matches|没有匹配的接口
Parameters|参数
required|必填
All objects|全部对象
Broken at row {id}|第 {id} 行起不一致
(empty)|（空）
from {address}|来自 {address}
Object|对象
Nothing was changed|暂无变更
Unchanged|完整
Each row holds the hash of the row before.|每一行都包含前一行的哈希。
Add a year|添加年份
built in|内置
Edit {name}|编辑 {name}
New calendar|新增日历
No calendars|暂无日历
Days without work|休息日
Delete {name}?|删除 {name}？
A calendar that a job names cannot be deleted. One that is built in takes its place again.|被任务使用的日历无法删除；同名内置日历将恢复生效。
Calendar {name}|日历 {name}
Source|来源
There is a calendar of this name.|已有同名日历。
Weekend|周末
Make-up days|调休上班日
Years|年份
Time|时间
Delete|清理
All|所有日志
Counting …|正在统计……
Runs that have not ended, and failures that are not reported yet, stay.|未结束的日志和尚未告警的失败日志会保留。
All but the newest {n}|最新 {n} 条以外的日志
Runs of {name}|{name} 的日志
Delete runs|清理日志
Which|清理方式
Older than a year|一年之前的日志
all|全部
match case|区分大小写
current match|当前匹配
Find|查找
Go|跳转
Go to line|跳转到行
next|下一个
on line|位于行
previous|上一个
regular expression|正则表达式
Replace|替换
replace all|全部替换
replace|替换
replaced $ matches|已替换 $ 处
$ unchanged lines|$ 行未变
whole words|全字匹配
This job runs a handler|该任务运行的是处理器
It has no source here. Give the job a script type to write one.|它在这里没有源码。将任务改为脚本类型后即可编写。
Somebody saved another version while you were typing.|在您编辑期间，有人保存了另一个版本。
Compare|对比
Compare {remark}|对比 {remark}
Comparison|版本对比
Somebody saved another version meanwhile: {remark}. On the left is what they saved, on the right what you typed.|期间有人保存了另一个版本：{remark}。左侧是对方保存的内容，右侧是您编辑的内容。
Discard|放弃修改
In the editor, not saved|编辑器中（未保存）
End the comparison|结束对比
In use|使用中
Save mine on top|以我的版本覆盖保存
Tab indents. Esc and then Tab leaves the editor. Ctrl F searches.|Tab 缩进；先按 Esc 再按 Tab 离开编辑器；Ctrl F 查找。
No remark|无备注
No versions yet|暂无版本
The first change of the source also stores what it was before.|首次修改源码时，也会保存修改前的内容。
Read only: changing scripts needs the role coder|只读：修改脚本需要“脚本”角色
Remark|备注
What this version changes, in 4 to 100 characters.|说明本次修改的内容，4 到 100 个字符。
The remark must have 4 to 100 characters.|备注必须为 4 到 100 个字符。
Restore|恢复
Restore {remark}|恢复 {remark}
The source “{remark}” of {at} is used again, as a new version. The present one stays in the list.|将 {at} 的源码“{remark}”作为新版本重新启用，当前版本保留在列表中。
Restore this version?|恢复该版本？
The version was restored|版本已恢复
Both are the same.|两者相同。
Save|保存
Save a new version|保存新版本
Saved|已保存
A new version was saved|新版本已保存
Take theirs|采用对方版本
Insert a template|插入模板
Not saved|未保存
Versions|版本
The newest 30 are kept|保留最近 30 个
After|修改后
Before|修改前
Field|字段
Drain|排空
Drain {address}|排空 {address}
{address} gets no new runs|{address} 不再接收新的执行
drained|排空中
No new run goes there; those in progress finish.|不再向其分派新的执行，进行中的执行会继续完成。
Send runs to {address} again|恢复 {address}
New runs go there again.|将重新向其分派执行。
{address} gets runs again|{address} 已恢复接收执行
Each time depends on the end of a run. These assume that runs take no time.|实际时间取决于上次执行何时结束，此处假定执行耗时为零。
{days} days with {times} fires within a year|一年内 {days} 天共触发 {times} 次
Clock change|时钟调整
Type a schedule to see what it does|填写调度配置后显示触发时间
The calendar has no days of {years}: only its weekend counts there.|日历没有 {years} 年的数据，仅按周末处理。
It never fires.|不会触发。
Next {n} fires|接下来 {n} 次触发
It fires by hand only|仅手动触发
skips {times}|跳过 {times}
Dry run|触发预览
Busiest quarter of an hour: {at}|最繁忙时段：{at}
What is counted|统计口径
Fires|触发次数
Run time|运行时长
{fires} fires of {jobs} jobs, {time} of run time|{jobs} 个任务共触发 {fires} 次，预计运行 {time}
How far ahead|预测范围
Jobs in this quarter of an hour|该时段的任务
Nothing is due|没有待触发的任务
Schedules that are off add nothing here.|已停止的任务不计入预测。
Busiest: {at}, {value}|峰值：{at}，{value}
Quarter of an hour|时段
Advanced|高级配置
Back|返回
Base|基础配置
Beyond XXL-JOB|XXL-JOB 之外的设置
An empty field leaves the default. A Java admin beside this scheduler neither sees nor damages these.|留空则使用默认值。并存的 Java 调度中心不会看到或改动这些设置。
The schedule does not fire on its days without work.|休息日不触发。
Triggered when a run succeeds; ids with commas.|执行成功后触发，多个 ID 用逗号分隔。
Choose|请选择
Nothing was saved. These fields differ; what changed since you opened the form is marked. Take what is saved, or continue with it and your own changes on top, then save again.|未保存任何修改。以下字段不同，打开表单后的改动已标出。可采用已保存的内容，或在其上合并您的修改，再次保存。
{name} (copy)|{name}（副本）
Create|创建
{name} was created. It is off.|{name} 已创建，处于停止状态。
Default|默认
Edit job|更新任务
Several with commas.|多个地址用逗号分隔。
Leave without saving the changes?|修改尚未保存，确定离开？
Continue with mine on top|合并我的修改
No|否
None|无
{text} is not a whole number.|{text} 不是整数。
Begin with|常用表达式
Review changes|查看修改
Save these changes?|保存以下修改？
{name} was saved|{name} 已保存
Words by which the job is found, separated by commas.|用于查找任务的标签，以逗号分隔。
Task|任务配置
0 means no limit.|0 表示不限制。
Yes|是
Yours|您的
Empty means the scheduler's.|留空则使用调度中心的时区。
Above|上级
The scheduler's clock, in {zone}|调度中心时钟，时区 {zone}
Keyboard shortcuts|键盘快捷键
Pages|页面
Menu|菜单
Search|搜索
Sign out|退出登录
Skip to content|跳到正文
Theme: {theme}|主题：{theme}
Show all jobs|显示全部任务
Chosen|当前任务
Dashed line: not triggered, because the parent failed|虚线：父任务失败，未触发
{jobs} jobs, {failed} failed last|{jobs} 个任务，{failed} 个最近一次失败
Layer|层级
Not triggered with it|随之不触发
#{id} does not exist|#{id} 不存在
There are more than 5,000 jobs with children. The rest is left out: choose a job.|带子任务的任务超过 5,000 个，其余未显示：请选择一个任务。
Never ran|从未运行
No job has child jobs|没有带子任务的任务
This job has no child or parent jobs|该任务没有子任务或父任务
Give a job child jobs in its form: they run each time it succeeds.|在任务表单中填写子任务：任务每次成功后会触发它们。
Picture of the graph, scrolls|任务依赖图，可滚动
{n}: What fails with {name}|{n}: {name} 失败的影响
Fail with it|失败影响
Address|地址
Executors|执行器地址
One on each line.|每行一个地址。
Answers|正常
Answer|探测
What the executors register as; 4 to 64 characters.|执行器注册所用名称，4 至 64 个字符。
Automatic|自动注册
Last beat|最近心跳
Does not answer|无响应
Release|版本
Gone|已离线
By hand|手动录入
New group|新增执行器
No groups of executors|暂无执行器
None registered|无在线机器
No application has registered as {app} within 90 seconds.|90 秒内没有应用以 {app} 注册。
A group is made once for each application that runs jobs.|每个运行任务的应用对应一个执行器。
Its own|独立令牌
Token of its own|独立令牌
Probe|探测
Asking|探测中
A group that has jobs is not deleted.|仍有任务的执行器不能删除。
{name} was deleted|{name} 已删除
Round trip|往返耗时
Search by name or app name|按名称或 AppName 搜索
Any executor with room|由空闲的执行器领取
The scheduler's|全局令牌
Token|令牌
8 to 255 characters. Empty means that the executors send the scheduler's.|8 至 255 个字符。留空则使用全局令牌。
Empty leaves the token as it is.|留空则保持现有令牌不变。
Registration|注册方式
Each call of the API, with a line for curl.|每个接口的说明与 curl 示例。
Each change: who made it, when, from where, and each field before and after.|每次变更的操作人、时间、来源，以及各字段修改前后的值。
The applications that run jobs, and their addresses. Executors register themselves every 30 seconds.|运行任务的应用及其地址。执行器每 30 秒自动注册一次。
How many fires and how much run time to expect, by quarter of an hour, for a day or a week.|未来一天或一周内，每十五分钟预计的触发次数与运行时长。
Which jobs trigger which, their last results, and what is not triggered when one fails.|任务之间的触发关系、最近结果，以及某个任务失败时不会被触发的任务。
The console shows what the API has, and nothing else: what a page can do, a script can do. Press ? for the keys.|控制台只使用管理 API：页面能做的，脚本都能做。按 ? 查看快捷键。
All jobs. A switch starts or stops a schedule; a job can run now whether it is on or off.|全部任务。开关用于启动或停止调度；无论启停，任务都可以执行一次。
Licences of what this page is made of|本页面所用组件的许可证
Your roles, password, sessions and personal tokens.|您的权限、密码、会话和个人令牌。
The nodes that share the store. Each plans the jobs of its partitions; when one dies, the others take these.|共享同一存储的调度节点。每个节点负责一部分任务；节点宕机后由其余节点接管。
What is wrong now, what fires next, and the results of the last days.|当前异常、即将触发的任务，以及最近几天的结果。
Each run with its result, and what it wrote.|每次调度的结果与执行日志。
Pauses, calendars, alarm channels, how long what is kept, and what the scheduler is.|暂停、日历、告警渠道、数据保留时间，以及调度中心的版本信息。
Jobs as a file: exported, and applied once you have seen what would change.|以文件导出任务；应用前先预览将发生的变更。
Who may sign in, and what each may do in which group.|可登录的用户及其在各执行器中的权限。
Edit|编辑
Times on this page are in the job's zone.|本页时间按任务的时区显示。
Last fire|上次触发
Latest runs|最近执行
Job|任务
It has not run yet|尚未执行过
Next fires|下次执行时间
None|不限制
Off|已停止
Its runs are deleted with it. This cannot be undone.|其调度日志将一并删除，且无法恢复。
State|调度状态
Changes|变更记录
Code|源码
Misfires|调度过期
Runs|调度日志
State|概况
Timeline|时间线
Why|原因分析
Parts of the job|任务详情
In words|含义
The scheduler's|调度中心时区
All groups|全部执行器
All tags|全部标签
Any last result|全部最近结果
Copy {name}|复制 {name}
Details of {name}|{name} 的详情
Last result|最近结果
New job|新增任务
No jobs yet|暂无任务
A job says which handler runs, when, and on which executors.|任务规定由哪个 JobHandler、在何时、于哪些执行器上运行。
Off|停止
On|运行中
All about this job|查看完整信息
Run {name} now|执行一次 {name}
Runs of {name}|{name} 的调度日志
Search in|搜索范围
{name} is on|{name} 已启动
{name} is off|{name} 已停止
Schedule of {name}|{name} 的调度开关
Select the row|选择当前行
Details beside the list|在列表旁显示详情
Edit the job|编辑任务
This list|显示本列表
Open the row|打开当前行
Find a page or a job|查找页面或任务
Next and previous row|下一行、上一行
Run the job now|执行一次
Runs of the job|查看调度日志
Search on this page|在本页搜索
Keys act alone, without Ctrl|启用单键快捷键
Actions|操作
Clear filters|清除筛选
Next|下一页
Nothing matches|没有符合条件的数据
Pages of the list|列表分页
Previous|上一页
{from} to {to}|第 {from} 至 {to} 条
Sign in|登录
With a name|使用账号登录
With a token|使用令牌登录
Name|账号
Sign in with {name}|使用 {name} 登录
This connection is not encrypted: others may read the password on the way.|连接未加密，密码可能在传输途中被他人读取。
Name or password is wrong.|账号或密码错误。
There is no user yet. The one-time link in the scheduler's log creates the first one.|尚无用户。请使用调度中心日志中的一次性链接创建首个用户。
Access token|访问令牌
The value of --operator-token, --read-token or --access-token. It stays in this tab.|即 --operator-token、--read-token 或 --access-token 的值，仅保存在当前标签页。
This token is not accepted.|令牌无效。
Since|登录时间
The password was changed. Other sessions have ended.|密码已修改，其他会话已失效。
this one|当前会话
End the session from {from}?|结束来自 {from} 的会话？
End|结束
Its user has to sign in again.|使用该会话者需要重新登录。
The session was ended|会话已结束
New password|新密码
No sessions|暂无会话
You are not signed in as a user|当前不是以用户身份登录
Passwords, sessions and personal tokens belong to users.|密码、会话和个人令牌仅属于用户。
Old password|旧密码
Change password|修改密码
Set|已设置
Sessions|登录会话
Personal tokens|个人令牌
Last used|最近使用
First due time|首个应触发时间
Kind|类型
No misfires|没有调度过期
Each due time had a fire of its own.|每个触发时间都已触发。
Last due time|最后应触发时间
All plan a part of the jobs|各节点分担全部任务
One plans all jobs|一主多备
API|接口文档
Audit|操作审计
Executors|执行器管理
Load ahead|负载预测
Job graph|任务依赖
Help|帮助
Jobs|任务管理
My account|个人中心
Nodes|调度节点
Overview|运行报表
Settings|系统设置
Export, apply|导出与应用
Users|用户管理
Nodes share the jobs in 64 partitions. A node that does not renew its lease in time loses its partitions to the others, with all that it had planned.|调度节点按 64 个分区分担工作。未按时续租的节点，其分区及已计划的触发由其余节点接管。
One node plans all jobs, and the others stand by. If it does not renew its lease in time, another one takes over, with all that it had planned.|由一个调度节点规划全部任务，其余节点备用。主节点未按时续租时，由另一节点接管，包括其已计划的触发。
{n} ms|{n} 毫秒
When|时间
Why|原因
Clock|时钟偏差
Elector|选举服务
Fast pool|快线程池
Fires kept|自留触发
Lease until|租约到期
Mode|调度模式
Last change|最近变更
How partitions changed hands|分区变更记录
Node|节点
None: the store decides|无，由存储决定
No node holds a lease|没有持有租约的调度节点
Nothing is planned until one does.|在此之前不会触发任何任务。
{n} of 64|{n} / 64
Partitions|分区
{n} of {all}|{n} / {all}
Fires taken|已接收触发
Role|角色
Fires given|已分派触发
Slow pool|慢线程池
Fires are spread|触发分派
{n} waiting|等待 {n}
Overview|返回运行报表
No page has this address.|该地址没有对应的页面。
Not found|页面不存在
Needs attention|需要关注
Nothing needs attention|一切正常
Executors|在线执行器
Failed, 24 h|24 小时内失败
Latest failures|最近失败
{n} gone|离线 {n}
Failed {n} times in a row.|已连续失败 {n} 次。
Late, 99 of 100|延迟 P99
Next fires|即将触发
Jobs are on, and no executor is registered.|有任务在运行，但没有在线的执行器。
No failures within 24 hours|24 小时内没有失败
Nothing is planned|没有计划中的触发
Never fired, and will not within a day.|启动后从未触发，一天内也不会触发。
Running now|正在执行
Succeeded, 24 h|24 小时内成功
Jobs on|运行中的任务
Its due time has passed and it has not fired.|已过触发时间，仍未触发。
Knows no days of {year}: only the weekend counts.|尚无 {year} 年的休息日，仅按周末计算。
Results|调度报表
Action|操作
Page or name of a job|页面或任务名称
Nothing found|没有结果
Page|页面
Every day at 02:00|每天 02:00
Every hour|每小时
Every 5 minutes|每 5 分钟
On the 1st of the month at 02:00|每月 1 日 02:00
On the last day of the month at 02:00|每月最后一天 02:00
Every Monday at 02:00|每周一 02:00
Monday to Friday at 09:00|周一至周五 09:00
Schedules do not fire while the pause lasts, and what they miss is not made up for. Runs by hand continue.|暂停期间不会按调度触发，错过的触发不会补跑；手动执行不受影响。
Pause|暂停
{name} is paused|已暂停 {name}
By|操作人
End the pause of {name}|结束暂停 {name}
Due times of the pause are not made up for.|暂停期间错过的触发不会补跑。
Let {name} fire again?|恢复 {name} 的调度？
{name} fires again|已恢复 {name} 的调度
somebody ends it|手动结束
Pause schedules|暂停调度
Nothing is paused|没有暂停
A pause keeps schedules of a group, or of all, from firing; each due time is recorded.|暂停期间，所选执行器（或全部）的任务不会按调度触发，每个应触发时间都有记录。
Schedules are paused ({name})|调度已暂停（{name}）
now|生效中
Pauses|暂停调度
Until|结束时间
Empty: until somebody ends it.|留空则一直持续，直到手动结束。
Groups|范围
Oldest|最早发布
Delivered again|重复投递
Runs that wait|等待的运行
The broker does not say what waits: {error}|消息队列未给出等待情况：{error}
Queue|消息队列
Add a role|添加权限
Each role includes those before it: viewers read; operators start, stop, run and kill; editors change jobs; coders change scripts; administrators change groups and, for all groups, users.|后一角色包含前一角色：只读可查看；运维可启动、停止、执行和终止；编辑可修改任务；脚本可修改脚本；管理员可管理执行器，拥有全部执行器时还可管理用户。
Remove the role|移除权限
On these executors|机器地址
None selected: the job's own routing decides.|不选则按任务的路由策略选择。
No executor is registered.|没有在线的执行器。
For this run only.|仅用于本次执行。
Runs|查看日志
{name} was triggered|{name} 已触发
Executor|执行器地址
Run again|重新执行
All jobs|全部任务
Any cause|全部类型
Any duration|全部耗时
Any time|全部时间
{span} and more|{span} 及以上
attempt {n}|第 {n} 次
Attempt|尝试次数
Until before ({zone})|结束时间（不含，{zone}）
Executor address contains|执行器地址包含
Cause|触发类型
From … to …|自定义
Dispatch message|调度备注
Duration|耗时
Facts|详情
Search jobs by name|按任务名称搜索
Same fire|同一次触发
From|开始时间
Run|日志ID
Kill|终止任务
Kill run {id}|终止调度 {id}
{name} is stopped on {address}, with all its other runs that run or wait there.|将终止 {name} 在 {address} 上正在执行或排队的全部调度。
Kill this run?|终止本次执行？
The run was killed|已终止
Last 24 hours|最近 24 小时
Last hour|最近 1 小时
Last 30 days|最近 30 天
Last 7 days|最近 7 天
Late|延迟
Message|执行备注
The executor gave no reason.|执行器没有给出原因。
No runs yet|暂无调度日志
From ({zone})|开始时间（{zone}）
Follows run|来源日志
Repeated by run|被重新执行
Run {id} was repeated|已重新执行日志 {id}
Result|结果
Retries left|剩余重试次数
Search in messages|搜索备注
Shard|分片参数
Time|调度时间
Run {id}|调度日志 {id}
Today|今日
Triggered|调度时间
Why it failed|失败原因
Yesterday|昨日
{span} after each run|每次结束后 {span}
By hand only|仅手动
Once, {at}|一次，{at}
Every {span}|每 {span}
This scheduler|调度中心
Alarm channels|告警渠道
Channel|渠道
Store's clock|存储时钟
Drain at a stop|停止时等待
The scheduler's flags decide this.|由调度中心的启动参数决定。
For ever|永久
journal|日志文件
Failures are reported nowhere|未配置告警渠道
The flags --alarm-... of serve configure mail, webhooks and chats.|通过 serve 的 --alarm-... 参数配置邮件、Webhook 与即时通讯渠道。
Fast and slow places|快、慢线程池
Kept for|数据保留
Version of the tables|表结构版本
Clock may be off by|允许的时钟偏差
Store|存储
Successes of jobs that keep failures only|仅保留失败的任务的成功日志
Send a test|发送测试
Log texts|执行日志文本
Users|用户登录
Version|版本
Create and sign in|创建并登录
Password again|确认密码
The two passwords differ.|两次输入的密码不一致。
At least 8 characters.|至少 8 个字符。
The link is valid once. The user that it creates is an administrator of all groups.|该链接仅可使用一次，所创建的用户为全部执行器的管理员。
Create the first user|创建首个用户
the newest: {is}|最新一次：{is}
none failed|没有失败
What is shown is what the scheduler said last; the page tries again by itself.|当前显示的是最后一次收到的数据，页面会自动重试。
Loading|加载中
The scheduler does not answer|调度中心无响应
The scheduler answers|调度中心正常
Download|下载
Ended|已结束
Search in the log|搜索日志
Follow|跟随
{n} lines, more to come|{n} 行，持续更新
{n} lines before these|此前还有 {n} 行
No line matches|没有匹配的行
Nothing was written yet|暂无输出
The run wrote nothing|没有输出
Log|执行日志
Wrap|自动换行
{n} d|{n} 天
{n} h|{n} 小时
{n} m|{n} 分
{n} s|{n} 秒
Browser|浏览器
Runs|实际运行
24 hours|24 小时
Earlier|更早
All figures|全部数据
Late by more than 1 s|延迟超过 1 秒
1 hour|1 小时
6 hours|6 小时
{due} due times, {runs} runs, {failed} failed, {misfires} misfires|计划 {due} 次，运行 {runs} 次，失败 {failed} 次，调度过期 {misfires} 次
Later|更晚
30 days|30 天
There are more than 10,000 due times, runs or misfires. The rest is left out: choose a shorter time.|计划时间、运行或调度过期超过 10,000 个，其余未显示，请缩短时间范围。
Nothing was due, and nothing ran|这段时间没有计划，也没有运行
Now|现在
Due|计划
Length of the timeline|时间范围
7 days|7 天
All my groups|本人全部执行器
All of mine|与本人相同
The token was created|令牌已创建
Done|完成
None selected: all of yours.|未选择则为本人全部执行器。
Used for|用途
Such as the script or the machine that uses it.|例如使用它的脚本或机器。
New token|新增令牌
No tokens yet|暂无令牌
A script calls the API with a token, within the limits of the token and of your roles.|脚本使用令牌调用 API，权限不超过令牌与您的权限。
Copy it now: it is not shown again.|请立即复制，此后不再显示。
Revoke {name}?|吊销 {name}？
Revoke|吊销
Calls with this token are refused from now on.|此后使用该令牌的调用将被拒绝。
Role at most|最高角色
Accepted by the executor|执行器已接收
Alarm|告警
Claimed|已领取
Due|应触发
{span} late|延迟 {span}
No result|无结果
Not accepted|调度失败
Sending|调度中
Taken over|已接管
took {span}|耗时 {span}
Triggered|已触发
Any role|全部角色
Roles of {name}|{name} 的权限
New user|新增用户
No password|未设密码
No users yet|暂无用户
With the first user, all have to sign in. Make it an administrator of all groups.|创建首个用户后，所有人都需登录。请将其设为全部执行器的管理员。
New password for {name}|重置 {name} 的密码
At least 8 characters; if empty, no password signs in.|至少 8 个字符。留空则不能用密码登录。
The user's sessions and tokens end.|该用户的会话和令牌将失效。
Provider|单点登录
The provider grants the roles again at each sign-in.|单点登录会在每次登录时重新授予权限。
Its sessions and tokens end. One administrator of all groups has to remain.|其会话与令牌将失效。必须保留至少一名全部执行器的管理员。
Search by name|按账号搜索
Signs in by|登录方式
you|当前
Explain|分析
From {from} until before {to}|从 {from} 到 {to}（不含）
Last due time|最近一次计划时间
Nothing was due in the last 32 days.|最近 32 天没有计划时间。
Give a date and a time, such as 2026-03-01 02:00:00.|请输入日期和时间，例如 2026-03-01 02:00:00。
Nothing is known about this time|没有关于这个时间的记录
No record says what became of it.|没有记录说明当时发生了什么。
The job was changed since, and no record tells how its schedule was then. What follows is by the present schedule.|任务此后被修改过，没有记录说明当时的调度配置，因此以下按当前的调度配置计算。
Latest due times|近期计划时间
The rest of the message|其余信息
Time in question ({zone})|查询时间（{zone}）`},actor:{command:"command line|命令行",executor:"executor|执行器",open:"without sign-in|未登录",operator:"operator token|操作令牌",scheduler:"scheduler|调度中心",token:"token|令牌",user:"user|用户"},alarmOn:{EACH:"Each failure|每次失败",IN_A_ROW:"Several in a row|连续失败",LAST_RETRY:"After the last retry|最后一次重试失败后",NEVER:"Never|从不"},ambiguous:{PROBE:"Ask the executor|向执行器查询",RESEND:"Send again|重新发送",SKIP:"Do not send again|不再发送"},auditKind:{alarm:"Alarm tests|告警测试",calendar:"Calendars|日历",group:"Groups|执行器",job:"Jobs|任务",node:"Nodes|调度节点",pause:"Pauses|暂停",run:"Run|执行",runs:"Cleared runs|日志清理",token:"Tokens|令牌",user:"Users|用户",zone:"Time zone|时区"},bulk:{addField:"Add a field|添加字段",all:"All {n} jobs that match are selected|已选择全部 {n} 个匹配的任务",bar:"Selected jobs|已选任务",cancel:"Stop here|到此为止",cancelled:"Stopped: {n} jobs have no result and are unchanged, except some that were in progress.|已中止：{n} 个任务没有结果，除正在处理的以外均未改变。",change:"Change|修改","changeTitle.one":"Change {n} job?|修改 {n} 个任务？","changeTitle.other":"Change {n} jobs?|修改 {n} 个任务？",changes:"New values|新的值",choose:"Selection|选择",chooseAll:"Select all {n} that match|选择全部 {n} 个匹配的任务",chooseOne:"Select {name}|选择 {name}",choosePage:"Select all jobs of this page|选择本页全部任务","chosen.one":"{n} job selected|已选择 {n} 个任务","chosen.other":"{n} jobs selected|已选择 {n} 个任务",delete:"Delete|删除","deleteTitle.one":"Delete {n} job?|删除 {n} 个任务？","deleteTitle.other":"Delete {n} jobs?|删除 {n} 个任务？","failed.one":"{n} job refused.|失败 {n} 个。","failed.other":"{n} jobs refused.|失败 {n} 个。",none:"Clear selection|取消选择",ok:"done|成功",paramHelp:"Empty: each job's own parameter.|留空则使用各任务自己的参数。",progress:"{n} of {total}|{n} / {total}",removeField:"Remove the field|移除字段",start:"Start|启动","startTitle.one":"Start {n} job?|启动 {n} 个任务？","startTitle.other":"Start {n} jobs?|启动 {n} 个任务？",stop:"Stop|停止","stopTitle.one":"Stop {n} job?|停止 {n} 个任务？","stopTitle.other":"Stop {n} jobs?|停止 {n} 个任务？","succeeded.one":"{n} job done.|成功 {n} 个。","succeeded.other":"{n} jobs done.|成功 {n} 个。",trigger:"Run now|执行一次","triggerTitle.one":"Run {n} job now?|执行 {n} 个任务？","triggerTitle.other":"Run {n} jobs now?|执行 {n} 个任务？",undo:"Undo|撤销","undone.one":"{n} job taken back.|已撤销 {n} 个。","undone.other":"{n} jobs taken back.|已撤销 {n} 个。"},calendar:{"off.one":"{n} day off|休息 {n} 天","off.other":"{n} days off|休息 {n} 天","work.one":"{n} make-up day|调休上班 {n} 天","work.other":"{n} make-up days|调休上班 {n} 天"},calendarName:{cn:"Public holidays of China|中国法定节假日"},calendarNote:{cn:"Working days in mainland China, by the yearly notices of the State Council|中国大陆的工作日，依据国务院办公厅每年的通知"},clear:{"atLeast.one":"{n} run or more is selected|将清理 {n} 条以上日志","atLeast.other":"{n} runs or more are selected|将清理 {n} 条以上日志","deleted.one":"{n} run was deleted|已清理 {n} 条日志","deleted.other":"{n} runs were deleted|已清理 {n} 条日志","months.one":"Older than {n} month|{n} 个月之前的日志","months.other":"Older than {n} months|{n} 个月之前的日志","selected.one":"{n} run is selected|将清理 {n} 条日志","selected.other":"{n} runs are selected|将清理 {n} 条日志"},confHelp:{CRON:"Seconds, minutes, hours, day, month, weekday, and the year if needed.|依次为秒、分、时、日、月、周，年可省略。",FIX_DELAY:"Seconds between the end of a run and the next.|上次执行结束到下次触发的秒数。",FIX_RATE:"Seconds between two fires.|两次触发之间的秒数。",ONCE:"An instant with its offset.|带时区偏移的时间点。"},delivery:{FAILED:"failed|失败",SENT:"sent|已发送",SKIPPED:"skipped|已跳过"},did:{DELETE:"removed|删除",POST:"created|新建",PUT:"changed|修改",apply:"applied|应用",backfill:"began a backfill of|补数",bulk:"bulk operation on|批量操作",cancel:"cancelled|取消",clear:"cleared|清理",copy:"copied|复制",drain:"drained|排空",end:"ended|结束",export:"exported|导出",glue:"changed the code of|修改代码",kill:"killed|终止",password:"changed the password of|修改密码",rerun:"ran again|重跑",restore:"restored a version of|恢复版本",start:"started|启动",stop:"stopped|停止",test:"tested|测试",trigger:"triggered|执行",undrain:"undrained|取消排空"},dry:{"off.one":"{n} day without work, which does not fire|休息 {n} 天，不触发","off.other":"{n} days without work, which do not fire|休息 {n} 天，不触发"},election:{away:"The elector does not answer|选举服务无响应",elected:"Elected|已当选",waits:"Waits to be elected|等待当选"},error:{conflict:"Somebody else changed this|已被他人修改",forbidden:"You may not do this|没有权限",internal:"This did not work|操作失败",invalid:"The request was refused|请求被拒绝",not_found:"This does not exist|不存在",unauthorized:"Please sign in|请先登录",unreachable:"No answer|无响应"},executorBlockStrategy:{COVER_EARLY:"Replace the running one|覆盖之前调度",DISCARD_LATER:"Discard the new one|丢弃后续调度",SERIAL_EXECUTION:"One after the other|单机串行"},executorRouteStrategy:{BUSYOVER:"Busyover|忙碌转移",CONSISTENT_HASH:"Consistent hash|一致性HASH",FAILOVER:"Failover|故障转移",FIRST:"First|第一个",LAST:"Last|最后一个",LEAST_FREQUENTLY_USED:"Least frequently used|最不经常使用",LEAST_RECENTLY_USED:"Least recently used|最近最久未使用",RANDOM:"Random|随机",ROUND:"Round robin|轮询",SHARDING_BROADCAST:"Sharding broadcast|分片广播"},fact:{acknowledged:"Answered|应答",actor:"Who|操作人",added:"Created|创建时间",at:"Noticed|发现时间",call:"Call|调用",claimed:"Claimed|领取",count:"Alive|存活数",due:"Due|计划时间",executorAddress:"Executor|执行器地址",finished:"Ended|结束",handleCode:"Result code|执行结果码",misfireStrategy:"Misfire strategy|调度过期策略",node:"Node|调度节点",now:"Now|当前时间",running:"On|已启动",scheduleConf:"Schedule|调度配置",scheduleType:"Schedule type|调度类型",scheduler:"Scheduler|调度节点",sent:"Sent|下发",state:"State|状态",store:"Store|数据库",takenOver:"Taken over|接管时间",takenOverBy:"Taken over by|接管节点",term:"Term|任期",time:"When|时间",triggerCode:"Dispatch code|调度结果码",triggerNextTime:"Next fire|下次触发",triggerTime:"Triggered|触发时间",until:"Until|截止",updated:"Changed|更新时间"},fate:{COMING:"To come|未到时间",EXCLUDED:"Day without work|休息日",FIRED:"Fired|已触发",MISFIRE:"Misfire|调度过期",NOTHING:"No record|没有记录",OPEN:"Waits|等待中",PAUSED:"Paused|暂停"},field:{accessToken:"Token|令牌",addressList:"Addresses|执行器地址",addressType:"Registration|注册方式",alarmAfter:"Failures in a row|连续失败次数",alarmEmail:"Alarm e-mail|报警邮件",alarmOn:"Alarm|告警规则",alarmRecovered:"Report recovery|恢复通知",all:"All|全部",ambiguous:"Request without an answer|无响应的请求",appName:"App name|AppName",author:"Owner|负责人",backfill:"Backfill|补数",before:"Triggered before|触发早于",calendar:"Calendar|日历",cancelled:"Cancelled|已取消",childJobIds:"Child jobs|子任务ID",children:"Child jobs|子任务",drained:"Drained|排空",drains:"Drained addresses|排空中的地址",dueTimes:"Due times|计划时间数",emails:"E-mail|邮箱",executorAddress:"Address|执行器地址",executorBlockStrategy:"Block strategy|阻塞处理策略",executorFailRetryCount:"Retries|失败重试次数",executorHandler:"Handler|JobHandler",executorParam:"Parameter|任务参数",executorRouteStrategy:"Route strategy|路由策略",executorTimeout:"Time limit, seconds|任务超时时间（秒）",expires:"Ends|失效时间",from:"From|开始",glueRemark:"Remark|源码备注",glueSource:"Source|源码",glueType:"Mode|运行模式",glueUpdated:"Source of|源码时间",grants:"Roles|权限",groups:"Groups|执行器",jobGroup:"Group|执行器",jobId:"Job|任务",keepLogs:"Keep in the log|日志保留",keepNewest:"Newest kept|保留最新",key:"Key|键",misfireLimit:"Misfires to run|补跑上限",misfireSpacingMs:"Pause between misfires, ms|补跑间隔（毫秒）",misfireStrategy:"Misfire strategy|调度过期策略",misfireWindowMs:"Misfire after, ms|过期判定（毫秒）",name:"Name|任务描述",newest:"Newest first|最新优先",note:"Note|备注",order:"Order|触发编号",owner:"Declared by|声明者",parallel:"At a time|并行数",password:"Password|密码",provider:"Provider|单点登录",reason:"Reason|原因",retryBackoffLimitMs:"Longest pause before a retry, ms|重试间隔上限（毫秒）",retryBackoffMs:"Pause before a retry, ms|重试间隔（毫秒）",role:"Role|角色",running:"Schedule on|调度启动",scheduleConf:"Schedule|调度配置",scheduleType:"Schedule type|调度类型",settings:"Settings|扩展配置",tags:"Tags|标签",term:"Term|任期",title:"Name|名称",to:"To|结束",triggerType:"Cause|触发类型",until:"Until|截止时间",userId:"User|用户",weekend:"Weekend|周末",zone:"Time zone|时区"},finding:{after_run:"Counts from the last run|从上次运行结束计时",ambiguous:"Answer lost|应答丢失",bad_schedule:"Schedule unreadable|调度配置无法解析",being_sent:"Being handed over|正在下发",clocks_apart:"Clocks apart|时钟不一致",covered:"Replaced|被覆盖",drained:"Executors drained|执行器已排空",excluded:"Day without work|休息日",failed:"Failed|失败",killed:"Killed|已终止",misfire:"Misfire|调度过期",no_executor:"No executor|没有执行器",no_match:"Not in the schedule|不在调度时间内",no_place:"Waits for a place|等待线程池空位",no_record:"No record|没有记录",no_schedule:"No schedule|无调度配置",no_scheduler:"No scheduler alive|没有存活的调度节点",node_froze:"Node fell silent|调度节点失去响应",not_created:"Not created yet|尚未创建",not_traced:"From another program|由其他程序下发",not_yet:"Still to come|尚未到时间",overdue:"Overdue|逾期未触发",paused:"Paused|暂停",ran:"It ran|已运行",ran_late:"Late|触发延迟",refused:"Refused|被拒绝",refused_by_block:"Discarded|被丢弃",refused_by_route:"No suitable executor|没有合适的执行器",result_lost:"Result lost|结果丢失",running:"Running|运行中",stopped:"Schedule off|调度已停止",timed_out:"Timed out|超时",unanswered:"Outcome unknown|结果未知",unreachable:"Unreachable|无法连接"},forecast:{"fires.one":"{n} fire|触发 {n} 次","fires.other":"{n} fires|触发 {n} 次","jobs.one":"{n} job|{n} 个任务","jobs.other":"{n} jobs|{n} 个任务","unknown.one":"{n} job has no recent run: its time is left out.|{n} 个任务近期无运行，未计入时长。","unknown.other":"{n} jobs have no recent run: their time is left out.|{n} 个任务近期无运行，未计入时长。","unreadable.one":"{n} job has an unreadable schedule, and is left out.|{n} 个任务的调度配置无法解析，未计入预测。","unreadable.other":"{n} jobs have unreadable schedules, and are left out.|{n} 个任务的调度配置无法解析，未计入预测。"},glue:{BEAN:"Bean|BEAN",GLUE_GROOVY:"Groovy|GLUE(Java)",GLUE_NODEJS:"Node.js|GLUE(Nodejs)",GLUE_PHP:"PHP|GLUE(PHP)",GLUE_POWERSHELL:"PowerShell|GLUE(PowerShell)",GLUE_PYTHON:"Python|GLUE(Python3)",GLUE_PYTHON2:"Python 2|GLUE(Python2)",GLUE_SHELL:"Shell|GLUE(Shell)"},graph:{"cycles.one":"{n} group of jobs that trigger each other:|{n} 组任务互相触发：","cycles.other":"{n} groups of jobs that trigger each other:|{n} 组任务互相触发：","dependsOn.one":"{n} job leads to it.|{n} 个任务会触发它。","dependsOn.other":"{n} jobs lead to it.|{n} 个任务会触发它。","failsWith.one":"If it fails, {n} job is not triggered.|它失败时，{n} 个任务不会被触发。","failsWith.other":"If it fails, {n} jobs are not triggered.|它失败时，{n} 个任务不会被触发。"},group:{"count.one":"{n} address|{n} 个地址","count.other":"{n} addresses|{n} 个地址","jobs.one":"{n} job|{n} 个任务","jobs.other":"{n} jobs|{n} 个任务"},keepLogs:{ALL:"All runs|全部",FAILURES:"Failures only|仅失败"},lastResult:{FAIL:"Failed last|最近失败",NONE:"Never ended a run|从未执行完成",SUCCESS:"Succeeded last|最近成功"},mark:{FIRST_PASS:"first pass|首次经过",SECOND_PASS:"second pass|再次经过",SHIFTED:"shifted|顺延"},misfireKind:{excluded:"day without work|休息日",late:"late|过期",lost:"may have run: the store lost the record|可能已触发：存储丢失了记录",paused:"paused|暂停"},misfireStrategy:{ALL:"Run all|全部补跑",DO_NOTHING:"Do nothing|忽略",FIRE_ONCE_NOW:"Fire once now|立即执行一次",LATEST:"Run the latest|补跑最近一次"},move:{died:"Died|进程终止",drained:"Drained|人工排空",joined:"Joined|加入",lapsed:"Lease lapsed|租约过期",skewed:"Clock is off|时钟偏差过大",stopped:"Stopped|停止"},overview:{"more.one":"and {n} more|另有 {n} 项","more.other":"and {n} more|另有 {n} 项"},record:{audit:"Change {id}|变更 {id}",clock:"Clocks|时钟",fire:"Fire {id}|触发 {id}",group:"Group|执行器",history:"Times of run {id}|运行 {id} 的时间",job:"Job|任务",lease:"Leases of the nodes|调度节点租约",log:"Run {id}|运行 {id}",misfire:"Misfire {id}|调度过期 {id}"},role:{admin:"Administrator|管理员",coder:"Coder|脚本",editor:"Editor|编辑",leads:"Leads|主节点",operator:"Operator|运维",plans:"Plans its partitions|规划其分区",retired:"Retired|已退出",standby:"Stands by|备用",viewer:"Viewer|只读"},scheduleType:{CRON:"CRON|CRON",FIX_DELAY:"Fixed delay|固定延迟",FIX_RATE:"Fixed rate|固定速度",NONE:"None|无",ONCE:"Once|一次"},settings:{"texts.all":"of all runs|全部","texts.failures":"of failed runs|仅失败","texts.off":"not stored|不保存"},spark:{"failed.one":"{n} failed|失败 {n} 次","failed.other":"{n} failed|失败 {n} 次","runs.one":"{n} run|最近 {n} 次执行","runs.other":"{n} runs|最近 {n} 次执行"},spread:{hash:"By the job|按任务哈希",none:"Not at all: the leader hands over all|不分派，全部由主节点下发",random:"At random|随机",round:"In turn|轮询"},status:{FAIL:"Failed|失败",LOST:"Result lost|结果丢失",RUNNING:"Running|进行中",SUCCESS:"Succeeded|成功",TIMEOUT:"Timed out|超时"},store:{MEMORY:"Memory|内存",MYSQL:"MySQL or MariaDB|MySQL / MariaDB",POSTGRES:"PostgreSQL|PostgreSQL",SQLITE:"SQLite|SQLite"},takeover:{advice:"To do|待处理",before:"Here already|已有",changed:"Changed|有改动",days:"Days of the report|日报天数",left:"Left|未接管",look:"Show what there is|预览",none:"The scheduler was started without such a database.|启动调度节点时未指定该数据库。",served:"XXL-JOB still works on this database. Stop its admins and wait a minute, or its jobs fire twice.|XXL-JOB 仍在使用该数据库。请先停止其调度中心并等待一分钟，否则任务会重复触发。","start.one":"Start {n} job that is on there|启动 {n} 个原已启动的任务","start.other":"Start {n} jobs that are on there|启动 {n} 个原已启动的任务","take.one":"Take over {n} job|接管 {n} 个任务","take.other":"Take over {n} jobs|接管 {n} 个任务",takeText:"All of it happens in one transaction. Jobs are stopped, and XXL-JOB's database stays as it is.|全部在一个事务中完成。任务保持停止，XXL-JOB 数据库不变。",takeTitle:"Take over what is shown?|确认接管？",taken:"New|新增",text:"Groups, jobs, versions of scripts, users and daily figures of the database of XXL-JOB that the scheduler was started with. It is only read.|从启动时指定的 XXL-JOB 数据库接管执行器、任务、脚本版本、用户和日报；该数据库只读。",title:"Take over from XXL-JOB|从 XXL-JOB 接管"},takeoverKind:{database:"Database|数据库",day:"Day|日期",group:"Group|执行器",job:"Job|任务",user:"User|用户",version:"Version|版本"},theme:{dark:"dark|深色",light:"light|浅色",system:"as the system|跟随系统"},token:{"days.one":"In {n} day|{n} 天后","days.other":"In {n} days|{n} 天后"},transfer:{adopt:"Adopt jobs that another owner has declared|纳管其他声明者的任务",all:"All|全部",applied:"The files were applied|已应用文件","apply.one":"Apply {n} change|应用 {n} 项变更","apply.other":"Apply {n} changes|应用 {n} 项变更",applyAction:"Apply|应用",applyText:"All of it happens in one transaction.|全部变更在一个事务中完成。",applyTitle:"Apply what is shown?|应用所示变更？",change:"Changed|修改",create:"New|新增",delete:"Deleted|删除","deletes.one":"{n} job will be deleted.|将删除 {n} 个任务。","deletes.other":"{n} jobs will be deleted.|将删除 {n} 个任务。",did:"What has changed|已变更",download:"Download YAML|下载 YAML",dryRun:"Dry run|试运行",export:"Export|导出",exportText:"A YAML file names jobs by app name and key, never by an id, so that it fits another scheduler too. It has no tokens.|YAML 文件以 AppName 和键标识任务，不含编号，因此也适用于其他调度中心。文件不含令牌。",files:"Choose files|选择文件",filesHelp:"Declarations in YAML or JSON, and the scripts that they name.|YAML 或 JSON 声明，以及其中引用的脚本。",filesText:"Calendars, groups and jobs become as declared, all or nothing. Omitted fields have defaults.|日历、执行器和任务将与声明一致，要么全部生效，要么全部不变。省略的字段取默认值。",leaveOut:"Leave out {name}|移除 {name}",problems:"The files cannot be applied|文件无法应用",prune:"Delete jobs of the same owner that the files do not name|删除同一声明者的、文件未列出的任务",same:"Everything is as declared|一切均与声明一致",text:"Or paste YAML here|或在此粘贴 YAML",unchanged:"{n} unchanged|{n} 项不变",withoutRunning:"Leave out whether schedules are on|不含调度的启停状态",would:"What would change|将会变更"},triggerType:{API:"API|API触发",BACKFILL:"Backfill|补数触发",CRON:"Schedule|Cron触发",MANUAL:"By hand|手动触发",MISFIRE:"Misfire|调度过期补偿",PARENT:"Parent job|父任务触发",RETRY:"Retry|失败重试触发"}};var vo=["en","zh-CN"],vt=new Map(Object.entries(_t).flatMap(([e,n])=>Object.entries(n).flatMap(([t,o])=>o.split(`
`).map((r,a)=>[e?`${e}.${t}`:a.toString(36),r.split("|")]))));function M(e,n){let t=vt.get(e)[vo.indexOf(E.value)];return n?t.replace(/\{(\w+)\}/g,(o,r)=>String(n[r]??o)):t}function yo(e){return vt.has(e)}function yt(e,n){let t=`${e}.${n}`;return yo(t)?M(t):n}var wo={en:new Intl.PluralRules("en"),"zh-CN":new Intl.PluralRules("zh-CN")},gt=new Map;function Cr(e,n){let t=wo[E.value].select(n)==="one"?"one":"other";return M(`${e}.${t}`,{n:wt(n)})}function wt(e,n=0){let t=E.value+n,o=gt.get(t);return o||gt.set(t,o=new Intl.NumberFormat(E.value,{maximumFractionDigits:n})),o.format(e)}var ge=y(Date.now());setInterval(()=>{document.visibilityState==="visible"&&(ge.value=Date.now()+Ye.value)},1e3);var Le=y(""),bn=y(""),G=V(()=>bn.value||Le.value),se=Intl.DateTimeFormat().resolvedOptions().timeZone;function Tt(e,n){let t=new Map;return o=>{let r=t.get(o);return r===void 0&&(t.size>=e&&t.clear(),t.set(o,r=n(o))),r}}var bo=Tt(4,e=>new Intl.RelativeTimeFormat(e,{style:"narrow",numeric:"always"})),kn=(e,n)=>ko(`${n}|${Math.floor(e.getTime()/1e3)}`),ko=Tt(2e3,e=>{let n=e.lastIndexOf("|");return St(new Date(Number(e.slice(n+1))*1e3),e.slice(0,n))}),bt=new Map;function St(e,n){let t=bt.get(n);return t||(t=new Intl.DateTimeFormat("en-GB",{timeZone:n||void 0,hourCycle:"h23",year:"numeric",month:"2-digit",day:"2-digit",hour:"2-digit",minute:"2-digit",second:"2-digit",timeZoneName:"longOffset"}),bt.set(n,t)),Object.fromEntries(t.formatToParts(e).map(o=>[o.type,o.value]))}function Ct(e=""){try{return e&&St(new Date(0),e)&&e}catch{return""}}function Er(e){let n=Ct(e);return ce(()=>(bn.value=n,()=>{bn.value=""}),[n]),n}function ve(e,n=G.value){let t=kn(e,n);return`${t.year}-${t.month}-${t.day}`}function _e(e,n=G.value){let t=kn(e,n);return`${t.hour}:${t.minute}:${t.second}`}function Re(e,n=G.value){return(kn(e,n).timeZoneName??"").replace("GMT","UTC")}function kt(e,n=G.value){return Date.parse(`${ve(e,n)}T${_e(e,n)}Z`)-Math.floor(e.getTime()/1e3)*1e3}function Pr(e){return e&&!isNaN(Date.parse(e))?new Date(e):void 0}function To(e){return`${ve(e)}T${_e(e)}`}function So(e){let n=Date.parse(e+"Z");if(isNaN(n))return;let t=new Date(n-kt(new Date(n-864e5)));return To(t).startsWith(e)?t:new Date(n-kt(t))}function Dr(e){return So(new Date(Date.parse(ve(new Date(Date.now()+Ye.value)))+e*864e5).toISOString().slice(0,19))}function Tn(e,n=G.value){return`${ve(e,n)} ${_e(e,n)} ${Re(e,n)}`}function xt(e,n=G.value){let t=new Date(ge.value),o=ve(e,n);return o===ve(t,n)?_e(e,n):Math.abs(e.getTime()-ge.value)<180*864e5?`${o.slice(5)} ${_e(e,n)}`:`${o} ${_e(e,n)}`}function Co(e,n=G.value){return new Intl.DateTimeFormat(E.value,{weekday:"short",timeZone:n||void 0}).format(e)}var xo=["MONDAY","TUESDAY","WEDNESDAY","THURSDAY","FRIDAY","SATURDAY","SUNDAY"];function Or(e){return Co(new Date(Date.UTC(2024,0,1+xo.findIndex(n=>n===e))),"UTC")}function Mt(e){let n=Math.round((e.getTime()-ge.value)/1e3),t=Math.abs(n),o=bo(E.value);return t<60?o.format(n,"second"):t<3600?o.format(Math.round(n/60),"minute"):t<86400?o.format(Math.round(n/3600),"hour"):o.format(Math.round(n/86400),"day")}function Fr(e){return e<1?`${e&&e.toFixed(1)} ms`:e<1e3?`${Math.round(e)} ms`:e<6e4?M("em",{n:(e/1e3).toFixed(e<1e4&&e%1e3?1:0)}):e<36e5?wn(Math.round(e/1e3),60,"el","em"):e<864e5?wn(Math.round(e/6e4),60,"ek","el"):wn(Math.round(e/36e5),24,"ej","ek")}function wn(e,n,t,o){let r=e%n;return M(t,{n:(e-r)/n})+(r?" "+M(o,{n:r}):"")}async function Ir(){try{let e=await W("GET /schedule/preview",{scheduleConf:"0 0 0 * * ?",count:1}),n=e.times[0]?.at??"",t=/(Z|[+-]\d\d:\d\d)$/.exec(n)?.[1]?.replace("Z","+00:00");Ct(e.zone)?Le.value=e.zone:t&&(Le.value=Re(new Date(n),se)==="UTC"+t?se:t)}catch{}}var Mo={overview:"M2.5 13.5h11M4 11V7.5M8 11V3.5M12 11V6",jobs:"M2.5 4h1M2.5 8h1M2.5 12h1M6 4h7.5M6 8h7.5M6 12h7.5",runs:"M8 2.5a5.5 5.5 0 1 0 5.5 5.5M8 5v3l2 1.5M13.5 2.5v3h-3",forecast:"M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z",graph:"M5 4a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM14 4a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM9.5 12a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM4.5 5.2l2.7 5.3M11.5 5.2 8.8 10.5",executors:"M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01",nodes:"M8 2.2 13 5v6l-5 2.8L3 11V5zM8 8l5-3M8 8v5.8M8 8 3 5",audit:"M4 2.5h6l2.5 2.5v8.5H4zM6 7h4.5M6 10h4.5",settings:"M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 2v2M8 12v2M2 8h2M12 8h2M3.8 3.8l1.4 1.4M10.8 10.8l1.4 1.4M3.8 12.2l1.4-1.4M10.8 5.2l1.4-1.4",users:"M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.8 13.5c.4-2.4 2-3.8 4.2-3.8s3.8 1.4 4.2 3.8M10.5 2.8a2.4 2.4 0 0 1 0 4.4M12.4 10.3c1 .6 1.6 1.7 1.8 3.2",transfer:"M2.5 5.5h10M10 3l2.5 2.5L10 8M13.5 10.5h-10M6 8l-2.5 2.5L6 13",api:"M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4",help:"M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.6-.8 1.3M8 11.4v.01",search:"M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14",run:"M5 3.2v9.6l7.5-4.8z",stop:"M4 4h8v8H4z",key:"M10 9.5a3.5 3.5 0 1 0-3.3-2.3L2.5 11.4v2.1h2.6v-1.6h1.6v-1.6l1.1-1.1c.6.2 1.4.3 2.2.3zM11 5.2v.01",edit:"M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2zM9.5 4.3l2.2 2.2",copy:"M6 6h7.5v7.5H6zM10 6V2.5H2.5V10H6",remove:"M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9M7 7v4M9 7v4",add:"M8 3v10M3 8h10",close:"M4 4l8 8M12 4l-8 8",check:"M3 8.5l3.2 3.2L13 4.8",fail:"M4.5 4.5l7 7M11.5 4.5l-7 7",warn:"M8 2.5 14.2 13.5H1.8zM8 6.5v3.2M8 11.6v.01",clock:"M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.4",light:"M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M3.6 12.4l1-1M11.4 4.6l1-1",dark:"M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z",system:"M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3",menu:"M2.5 4.5h11M2.5 8h11M2.5 11.5h11",user:"M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM3 13.7c.4-2.5 2.3-4 5-4s4.6 1.5 5 4",leave:"M9.5 2.5h-6v11h6M6.5 8h7M10.5 5l3 3-3 3",probe:"M1.8 8h2.7l1.7-4.5 3 9L11 8h3.2",code:"M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4",download:"M8 2.5v7.5M5 7l3 3 3-3M3 13.5h10",reload:"M13.5 8A5.5 5.5 0 1 1 11.6 3.8M13.5 2.5v3h-3",filter:"M2.5 4h11M4.5 8h7M6.5 12h3",link:"M6.5 9.5l3-3M7 4.5l1.3-1.3a2.8 2.8 0 0 1 4 4L11 8.5M9 11.5l-1.3 1.3a2.8 2.8 0 0 1-4-4L5 7.5",pause:"M5.5 3.5v9M10.5 3.5v9",broadcast:"M8 8v5.5M5.5 10.2a3.5 3.5 0 1 1 5 0M3.6 12a6.2 6.2 0 1 1 8.8 0"};function Q({name:e}){return d("svg",{class:"icon",viewBox:"0 0 16 16","aria-hidden":"true"},d("path",{d:Mo[e]}))}function Ur(){return d("svg",{class:"logo",viewBox:"0 0 24 24","aria-hidden":"true"},d("circle",{cx:"12",cy:"12",r:"9"}),d("path",{d:"M12 12V6.4M12 12l3.8 2.3M12 3v1.6M12 19.4V21M3 12h1.6M19.4 12H21"}))}function Kr({at:e,relative:n,zone:t=G.value}){if(!e)return d(Eo,null);let o=new Date(e),r=Tn(o,t);return t&&t!==se&&(r+=`
${se}: ${Tn(o,se)}`),d("time",{dateTime:e,title:r},xt(o,t),n&&d("small",null,Mt(o)))}function qr({name:e}){let n=new Date(ge.peek()),t=Re(n,e||Le.value),o=Re(n,se);return d(F,null,e&&d("span",{title:M("6i")},d(At,null,e," ",t)),t!==o&&d(At,null,M("en")," ",o))}var Ao={SUCCESS:"check",FAIL:"fail",RUNNING:"run",WARN:"warn",IDLE:"pause"};function Yr({is:e,text:n}){return d("span",{class:"status is-"+e.toLowerCase()},d(Q,{name:Ao[e]??"clock"}),n??yt("status",e))}function At({children:e,tone:n,title:t}){return d("span",{class:"tag"+(n?" is-"+n:""),title:t??(typeof e=="string"?e:void 0)},e)}function No({on:e,set:n,children:t}){return d("label",{class:"check"},d("input",{type:"checkbox",checked:e,onChange:o=>n(o.currentTarget.checked)}),t)}function Vr({of:e,chosen:n,set:t,label:o}){return d(F,null,e.map(r=>d(No,{key:String(r),on:n.includes(r),set:a=>t(a?[...n,r]:n.filter(s=>s!==r))},o(r))))}function Xr({children:e}){return d("code",{class:"mono"},e)}function ie({icon:e,tone:n,busy:t,children:o,shortcut:r,...a}){let s=a["aria-label"];return d("button",{type:"button",...a,disabled:a.disabled||t,class:"button"+(n?" is-"+n:"")+(o?"":" is-icon"),"data-key":r,title:a.title??(r&&s?`${s} (${r})`:s)},e&&d(Q,{name:e}),o)}function Zr({icon:e,tone:n,to:t,children:o,shortcut:r,label:a}){return d("a",{class:"button"+(n?" is-"+n:"")+(o?"":" is-icon"),href:t,"data-key":r,"aria-label":a,title:a},e&&d(Q,{name:e}),o)}function Qr({on:e,label:n,busy:t,disabled:o,onChange:r}){return d("button",{type:"button",class:"switch",role:"switch","aria-checked":e,"aria-label":n,"aria-busy":t,disabled:t||o,onClick:()=>r(!e)})}function ea({icon:e,title:n,children:t}){return d("div",{class:"empty"},d(Q,{name:e}),d("p",{class:"empty-title"},n),t&&d("div",{class:"empty-text"},t))}function Lo({error:e,retry:n}){let t="error."+e.code;return d("div",{class:"empty is-failure",role:"alert"},d(Q,{name:"warn"}),d("p",{class:"empty-title"},M(["error.not_found","error.forbidden","error.unauthorized","error.unreachable","error.conflict","error.invalid"].includes(t)?t:"error.internal")),d("p",{class:"empty-text"},e.message),n&&e.code!=="not_found"&&d(ie,{icon:"reload",onClick:n},M("2")))}var Nt=5e3;function na({text:e}){let[n,t]=$(""),o=P(-Nt);return H(()=>{let r=setTimeout(()=>{o.current=performance.now(),t(e)},o.current+Nt-performance.now());return()=>clearTimeout(r)},[e]),d("span",{class:"spoken",role:"status"},n)}function Ro({rows:e=6}){return d("div",{class:"waiting",role:"status","aria-label":M("e5")},Array.from({length:e},(n,t)=>d("span",{key:t})))}function ta({call:e}){return e.error?d(Lo,{error:e.error,retry:e.reload}):d(Ro,null)}var Eo=()=>d("span",{class:"none"},"–");function oa({children:e}){return d("dl",{class:"facts"},e)}function ra({name:e,children:n}){return d("div",null,d("dt",null,e),d("dd",null,n))}var ee=y(void 0),Po=3e3,Lt=0;async function Sn(){clearTimeout(Lt);try{ee.value=await W("GET /session",{})}catch{ee.value||(Lt=window.setTimeout(Sn,Po))}}N(()=>{I.value,Sn()});addEventListener("visibilitychange",()=>{document.visibilityState==="visible"&&Sn()});var Rt;N(()=>{let e=ee.value,n=e?.kind&&e.kind+e.name;Rt??=n,n&&n!==Rt&&location.reload()});async function ua(e,n){Ne(""),ee.value=await W("POST /session",{},{name:e,password:n}),I.value=!1}async function da(e,n,t){Ne(""),ee.value=await W("POST /session/first",{},{token:e,name:n,password:t}),I.value=!1}async function ca(){Ne(""),await W("DELETE /session",{}),I.value=!0}var Et=["viewer","operator","editor","coder","admin"];function fa(e,n){return!!ee.value?.grants.some(t=>Et.indexOf(t.role)>=Et.indexOf(e)&&(n===void 0||t.jobGroup===0||t.jobGroup===n))}var Do=25e3;async function Pt(e,n,t,o){let r=new AbortController,a=await Ve(e,n,void 0,AbortSignal.any([t,r.signal]),o.last?{"Last-Event-ID":o.last}:void 0);o.begun?.();let s=a.body.pipeThrough(new TextDecoderStream).getReader(),i="",c="",f="";for(;;){let u=setTimeout(()=>r.abort(),Do),{value:p,done:m}=await s.read().finally(()=>clearTimeout(u));if(m)return;let l=(i+p).split(`
`);i=l.pop();for(let h of l)h.startsWith("data: ")?c+=h.slice(6):h.startsWith("id: ")?f=h.slice(4):h===""&&c&&(o.on(JSON.parse(c),f),c="")}}function Cn(e,n){return new Promise(t=>{if(n.aborted)return t();let o=()=>{clearTimeout(r),n.removeEventListener("abort",o),t()},r=setTimeout(o,e);n.addEventListener("abort",o)})}var z=y(!1),Mn=new Set;function Ft(e){return Mn.add(e),()=>Mn.delete(e)}function xn(e){for(let n of Mn)n(e)}function Oo(e){let n=new AbortController,t=`xxlwheel.live:${R.pathname}:${e}`,o=new BroadcastChannel(t),r=!1,a="";o.onmessage=({data:c})=>{if("ask"in c)r&&o.postMessage({up:z.value});else if("up"in c){let f=c.up&&!z.value;z.value=c.up,f&&setTimeout(()=>xn({topic:"all",id:0}))}else a=c.id,xn(c.event)},o.postMessage({ask:!0});let s=c=>{n.signal.aborted||(z.value=c,o.postMessage({up:c}))},i=async c=>{r=!0;for(let f=1e3;!c.aborted;)try{await Pt("GET /events",{},c,{last:a,begun:()=>{f=1e3,s(!0)},on:(u,p)=>{a=p,xn(u),o.postMessage({event:u,id:p})}}),await Cn(100,c)}catch(u){if(c.aborted||(s(!1),[401,403,404].includes(me(u).status)))break;await Cn(f*(.5+Math.random()),c),f=Math.min(2*f,3e4)}r=!1};return navigator.locks?navigator.locks.request(t,{signal:n.signal},()=>i(n.signal)).catch(()=>{}):Fo(n.signal,i),()=>{n.abort(),o.close(),z.value=!1}}function Fo(e,n){let t,o=()=>{if(t?.abort(),t=void 0,document.visibilityState!=="visible")return void(z.value=!1);t=new AbortController,n(AbortSignal.any([e,t.signal]))};document.addEventListener("visibilitychange",o,{signal:e}),o()}var An=y(!1);addEventListener("pagehide",()=>An.value=!0);addEventListener("pageshow",()=>An.value=!1);var Dt="",Ot;N(()=>{let e=ee.value,n=An.value||I.value||!e?"":`${e.kind}:${mt()||e.name||""}`;n!==Dt&&(Ot?.(),Dt=n,Ot=n?Oo(n):void 0)});var ye=new Map,Io=60;function jo(e,n){ye.delete(e),ye.set(e,n),ye.size>Io&&ye.delete(ye.keys().next().value)}var Nn=y(void 0),Uo=1e4;function It(e){Nn.peek()?.key===e&&(Nn.value=void 0)}var jt=y(0);function xa(){jt.value++}var Ut={"GET /jobs":["job","run"],"GET /jobs/{id}":["job","run"],"GET /jobs/{id}/next":["job","run"],"GET /jobs/{id}/misfires":["misfire"],"GET /jobs/{id}/timeline":["job","run","misfire"],"GET /runs":["run"],"GET /runs/{id}":["run"],"GET /fires":["run"],"GET /groups":["group"],"GET /groups/{id}":["group"],"GET /graph":["job","run"],"GET /pauses":["pause"],"GET /tags":["job"]},$o=12e4;function Ho(e,n,t){if(t.topic==="all")return!0;if(!Ut[e]?.includes(t.topic))return!1;let o={job:"GET /jobs/{id}",run:"GET /runs/{id}",group:"GET /groups/{id}",misfire:"",node:"",pause:""}[t.topic]===e,{id:r,related:a}=n;return!o||a||t.id===0||t.id===r}var Xe=new Map,Bo=40;async function Wo(e,n,t,o){let r=Xe.get(t);if(r&&Date.now()-r.begun<Bo)try{return await r.answer}catch{if(o.aborted)throw o.reason}let a={begun:Date.now(),answer:W(e,n,void 0,o)};Xe.set(t,a);try{return await a.answer}finally{Xe.get(t)===a&&Xe.delete(t)}}function Ma(e,n,t=0){let o=n&&e+JSON.stringify(n),[,r]=$(0),a=P({loading:!1}),s=P(()=>{}),i=P(()=>{}),c=jt.value,f=I.value,u=z.value&&t>0&&e in Ut,p=P(u);if(p.current=u,a.current.key!==o){let w=o===void 0?void 0:ye.get(o);a.current={key:o,data:w,loading:o!==void 0}}ce(()=>{if(!n||f)return;let w=new AbortController,g=0,b=0,_=!1,C=!1,k=0,ne=async()=>{if(clearTimeout(g),_)return;_=!0,k=Date.now();try{let L=await Wo(e,n,o,w.signal);jo(o,L),w.signal.aborted||(a.current={key:o,data:L,loading:!1},It(o))}catch(L){if(!w.signal.aborted){let O=me(L);a.current={...a.current,error:O,loading:!1},a.current.data&&!Ae.value&&(Nn.value={key:o,message:O.message})}}if(_=!1,w.signal.aborted)return;r(L=>L+1);let{data:j,error:we}=a.current;(t>0||j&&we)&&(g=window.setTimeout(te,p.current&&!we?Math.max(t,$o):t||Uo)),C&&oe()},te=()=>{document.visibilityState==="visible"&&ne()},oe=()=>{C=_,!(_||b)&&(b=window.setTimeout(()=>{b=0,te()},Math.max(50,k+t/2-Date.now())))};return s.current=()=>{ne()},i.current=oe,document.addEventListener("visibilitychange",te),ne(),()=>{w.abort(),It(o),clearTimeout(g),clearTimeout(b),document.removeEventListener("visibilitychange",te)}},[o,t,c,f]),H(()=>{if(!u||!n)return;let w=Ft(g=>Ho(e,n,g)&&i.current());return()=>{w(),z.value||s.current()}},[u,o]);let{data:m,error:l,loading:h}=a.current;return{data:m,error:l,loading:h,reload:()=>s.current()}}function Aa(e,n){let[t,o]=$(e);return H(()=>{let r=setTimeout(()=>o(e),n);return()=>clearTimeout(r)},[e,n]),t}function $t(e){H(()=>{document.title=`${e} · xxlwheel`},[e])}function Da({title:e,above:n,beside:t,actions:o,children:r,wide:a}){return $t(e),d("main",{id:"main",class:a?"page is-wide":"page"},d("header",{class:"page-head"},d("div",{class:"page-title"},n&&d("nav",{"aria-label":M("4j"),class:"crumb"},d("a",{href:n.to},n.text),d("span",{"aria-hidden":"true"},"/")),d("h1",{tabIndex:-1,title:e},e),t),o&&d("div",{class:"actions"},o)),r)}function Oa({title:e,beside:n,children:t,flush:o}){return d("section",{class:"panel"+(o?" is-flush":""),"aria-label":e},e&&d("header",{class:"panel-head"},d("h2",null,e),n),d("div",{class:"panel-body"},t))}function Fa({label:e,tabs:n,current:t}){let o=P(null);return H(()=>{let r=new ResizeObserver(([a])=>{let s=a.target.querySelector("[aria-current]");s&&(a.target.scrollLeft=s.offsetLeft+s.offsetWidth-a.target.clientWidth)});return r.observe(o.current),()=>r.disconnect()},[t,E.value]),d("nav",{class:"tabs","aria-label":e,ref:o},n.map(r=>d("a",{key:r.id,href:r.to,"aria-current":r.id===t?"page":void 0},r.text,r.count!==void 0&&d("span",{class:"tab-count"},r.count))))}var Ee=y([]),Go=0;function Ht(e){Ee.value=Ee.value.filter(n=>n.id!==e)}function zo(e,n,t=!1){let o=++Go;Ee.value=[...Ee.value.slice(-3),{id:o,text:e,failed:t,link:n}];let r=()=>{document.querySelector(".toasts:is(:hover, :focus-within)")?setTimeout(r,1e3):Ht(o)};setTimeout(r,t?12e3:6e3)}function za(e){zo(e instanceof X&&e.code==="unreachable"&&e.status===0?M("e6"):e instanceof Error?e.message:String(e),void 0,!0)}function Ja(){return d("div",{class:"toasts",role:"status","aria-live":"polite"},Ee.value.map(e=>d("div",{key:e.id,class:e.failed?"toast is-failed":"toast"},d(Q,{name:e.failed?"warn":"check"}),d("span",{class:"toast-text"},e.text),e.link&&d("a",{href:e.link.to},e.link.text),d(ie,{icon:"close",tone:"quiet","aria-label":M("1"),onClick:()=>Ht(e.id)}))))}function Jo({title:e,onClose:n,children:t,wide:o,side:r,fixed:a}){let s=P(null),i=P(null),c=Be();return ce(()=>{let f=document.activeElement,u=s.current;return u?.showModal(),u?.querySelector("form :is(input, select, textarea, .dialog-foot button):enabled")?.focus(),()=>{u?.close(),f?.focus?.({preventScroll:!0})}},[]),d("dialog",{ref:s,class:"dialog"+(o?" is-wide":"")+(r?" is-side":""),"aria-labelledby":c,onCancel:f=>{f.preventDefault(),a||n()},onMouseDown:f=>i.current=f.target,onClick:f=>{f.target===s.current&&i.current===s.current&&!a&&n()}},d("header",{class:"dialog-head"},d("h2",{id:c},e),!a&&d(ie,{icon:"close",tone:"quiet","aria-label":M("1"),onClick:n})),t)}function es({title:e,children:n,action:t,danger:o,wide:r,onClose:a,onConfirm:s}){let[i,c]=$(!1),[f,u]=$();return d(Jo,{title:e,wide:r,onClose:a},d("form",{onSubmit:async m=>{m.preventDefault(),c(!0),u(void 0);try{await s(),a()}catch(l){u(me(l).message),c(!1)}}},d("div",{class:"dialog-body"},n,f&&d("p",{class:"field-error",role:"alert"},f)),d("footer",{class:"dialog-foot"},d(ie,{onClick:a},M("0")),d(ie,{type:"submit",tone:o?"danger":"primary",busy:i},t))))}function ss({label:e,help:n,error:t,required:o,wide:r,children:a}){let s=Be(),i=[t&&s+"-error",n&&s+"-help"].filter(Boolean).join(" ");return d("div",{class:"field"+(r?" is-wide":"")+(t?" has-error":"")},d("label",{for:s},e,o&&d("span",{class:"required","aria-hidden":"true"},"*")),On(a,{id:s,required:o,"aria-invalid":t?!0:void 0,"aria-describedby":i||void 0}),t&&d("p",{class:"field-error",id:s+"-error"},t),n&&d("p",{class:"field-help",id:s+"-help"},n))}function is({options:e,...n}){return d("select",{...n},e.map(t=>d("option",{key:t.value,value:t.value},t.text)))}function ls({title:e,note:n,children:t}){return d("fieldset",{class:"form-section"},d("legend",null,e),n&&d("p",{class:"muted"},n),d("div",{class:"fields"},t))}export{d as a,F as b,Ko as c,$ as d,H as e,ce as f,P as g,He as h,Vo as i,y as j,N as k,E as l,ct as m,co as n,R as o,dt as p,ir as q,lr as r,io as s,ur as t,dr as u,cr as v,fr as w,X as x,me as y,ft as z,Ae as A,I as B,Ne as C,yr as D,_o as E,W as F,wr as G,Ve as H,M as I,yo as J,yt as K,Cr as L,wt as M,ge as N,Le as O,Ct as P,Er as Q,ve as R,_e as S,Re as T,kt as U,Pr as V,To as W,So as X,Dr as Y,Tn as Z,xt as _,Co as $,xo as aa,Or as ba,Fr as ca,Ir as da,Q as ea,Ur as fa,Kr as ga,qr as ha,Yr as ia,At as ja,No as ka,Vr as la,Xr as ma,ie as na,Zr as oa,Qr as pa,ea as qa,Lo as ra,na as sa,Ro as ta,ta as ua,Eo as va,oa as wa,ra as xa,ee as ya,Sn as za,ua as Aa,da as Ba,ca as Ca,Et as Da,fa as Ea,Pt as Fa,Cn as Ga,z as Ha,Nn as Ia,xa as Ja,Ma as Ka,Aa as La,Da as Ma,Oa as Na,Fa as Oa,zo as Pa,za as Qa,Ja as Ra,Jo as Sa,es as Ta,ss as Ua,is as Va,ls as Wa};
